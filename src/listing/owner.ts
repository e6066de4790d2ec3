/**
 * The owner of the listings of a source that belongs to nobody else: the source itself. The prefix keeps owners of
 * different kinds apart, whatever their names are.
 */
export const ownerOfSource = (source: string): string => `source:${source}`;
