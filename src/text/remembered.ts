/**
 * Reads each text once, for what many listings share: words, brands, categories, values of attributes.
 * @param most so many texts are kept; what was asked for since the first half of them was full outlasts the others.
 * @param read its outcome is shared, so nobody may change it.
 */
export function remembered<T>(most: number, read: (text: string) => T): (text: string) => T {
  let recent = new Map<string, T>();
  let earlier = new Map<string, T>();
  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    const found = earlier.get(text) ?? read(text);
    if (recent.size >= most / 2) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(text, found);
    return found;
  };
}
