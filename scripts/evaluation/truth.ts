/**
 * Returns the path of the file of listings that belongs to a file of pairs: `truth_sources.csv` for
 * `truth.csv`.
 */
export const sourcesFile = (file: string): string => file.replace(/(\.[^./\\]*)?$/, '_sources$1');
