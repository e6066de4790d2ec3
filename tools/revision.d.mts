export function revision(folder: string, given: string | undefined): string;
