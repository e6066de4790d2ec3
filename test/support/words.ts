/** Returns the words of a text, which list values in fewer lines than an array does. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

/** Returns the phrases of a text, which are separated by ` | `. */
export const phrases = (text: string): string[] => text.trim().split(/\s*\|\s+/);
