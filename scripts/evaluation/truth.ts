/** Where the listings are that go with a file of pairs: `truth.csv` and `truth_sources.csv`. */
export const sourcesFile = (file: string): string => file.replace(/(\.[^./\\]*)?$/, '_sources$1');
