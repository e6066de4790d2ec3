/** The names of a colour in the languages of the titles, and its RGB value for images. */
export interface Colour {
  en: string;
  zh: string;
  ms: string;
  hex: string;
}

const TABLE = `
Black           黑色     Hitam             #23262b
Matte Black     哑光黑   Hitam Matte       #2e3033
White           白色     Putih             #f4f4f1
Pearl White     珍珠白   Putih Mutiara     #efece4
Silver          银色     Perak             #c3c8cd
Grey            灰色     Kelabu            #8b9096
Graphite Grey   石墨灰   Kelabu Grafit     #53585f
Blue            蓝色     Biru              #2f6fc4
Midnight Blue   午夜蓝   Biru Malam        #1f2f57
Sky Blue        天蓝色   Biru Langit       #86bfe6
Navy            藏青色   Biru Laut         #243a66
Green           绿色     Hijau             #3f8f58
Forest Green    森林绿   Hijau Hutan       #2d5a43
Mint            薄荷绿   Hijau Pudina      #a6dcc3
Red             红色     Merah             #c8323a
Coral           珊瑚色   Merah Karang      #ef7f6a
Pink            粉色     Merah Jambu       #f0a9bd
Rose Gold       玫瑰金   Emas Merah Jambu  #d9a08f
Gold            金色     Emas              #cda85a
Champagne       香槟色   Champagne         #e6d3ae
Yellow          黄色     Kuning            #f0c63c
Orange          橙色     Jingga            #ee8a33
Purple          紫色     Ungu              #7a55a8
Lavender        薰衣草紫 Lavender          #bba9dd
Beige           米色     Krim              #ddcbb0
Brown           棕色     Coklat            #7b5638
Cyan            青色     Sian              #2aa9c9
Magenta         品红色   Magenta           #c33b86
Clear           透明     Jernih            #dfe9ee`;

export const COLOURS: ReadonlyMap<string, Colour> = new Map(
  TABLE.trim()
    .split('\n')
    .map((row) => row.split(/\s{2,}|(?<=\p{Script=Han})\s/u))
    .map(([en = '', zh = '', ms = '', hex = '']) => [en, { en, zh, ms, hex }]),
);

/** Returns the colour with this English name. @throws RangeError if there is no such colour. */
export function colourNamed(name: string): Colour {
  const colour = COLOURS.get(name);
  if (colour === undefined) throw new RangeError(`no colour ${name}`);
  return colour;
}
