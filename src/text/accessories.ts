/** Things that go with another thing, in a name without that thing being for sale: each spelling with what it is called here. */
export const ACCESSORIES: ReadonlyMap<string, string> = spellings({
  case: 'cases casing cover covers shell bumper sleeve pouch holster wallet folio skin skins carrying bag backpack armband',
  protector: 'protectors tempered',
  charger: 'chargers charging',
  cable: 'cables cord lead',
  adapter: 'adaptor adapters adaptors converter',
  mount: 'mounts mounting bracket holder cradle stand tripod dock docking',
  strap: 'straps band bands lanyard wristband',
  battery: 'batteries',
  cartridge: 'cartridges toner ink refill',
  replacement: 'spare parts part repair',
  remote: '',
  lens: 'lenses',
  filter: 'filters',
  stylus: '',
  brushhead: 'brushheads',
  compatible: '',
});

/** What is called so and what serves as well, a case where a bag is asked for; none: it is no accessory. */
export function accessoriesLike(word: string): string[] {
  const text = word.toLowerCase();
  const concept = ACCESSORIES.get(text) ?? ACCESSORIES.get(text.replace(/s$/, ''));
  return concept === undefined ? [] : [...ACCESSORIES].flatMap(([one, of]) => (of === concept ? one : []));
}

/** Of those, the ones that are never in the name of the thing that they go with. */
export const ONLY_ACCESSORIES: ReadonlySet<string> = new Set(
  'case protector charger strap replacement compatible brushhead'.split(' '),
);

/** Where a name ends with such a word it is one, too. */
export const LAST_WORDS: ReadonlySet<string> = new Set([
  ...ACCESSORIES.keys(),
  ...(
    'bags backpacks sleeves pouches wallets briefcase carrier slipcase slipcover film guard cords leads patchcord converters ' +
    'dongle brackets holders cradles stands tripods docks arm rack lanyards toners inks refills ribbon kit accessory ' +
    'accessories attachment attachments heads tips remotes styluses ' +
    // Made in a thing's likeness.
    'puzzle puzzles sticker stickers decal decals poster keychain costume ornament figurine'
  ).split(' '),
]);

/** The same in Malay and Indonesian, whose names begin with what a thing is. */
export const FIRST_WORDS: ReadonlySet<string> = new Set(
  (
    'sarung penutup beg tas kesing softcase hardcase pelindung antigores pengecas charjer kabel penyesuai braket dudukan ' +
    'penyangga pemegang tali bateri baterai dakwat tinta penapis'
  ).split(' '),
);

/** The same in Chinese, at the end of a run of ideographs. */
export const CHINESE_ENDING =
  /(?:壳|殼|套|包|袋|膜|充电器|充電器|充电头|线|線|适配器|轉接器|转接头|支架|挂架|掛架|底座|表带|錶帶|腕带|电池|電池|墨盒|硒鼓|遥控器|遙控器|镜头|鏡頭|滤网|滤芯|濾網|濾芯)$/u;

function spellings(entries: Record<string, string>): Map<string, string> {
  return new Map(
    Object.entries(entries).flatMap(([concept, others]) =>
      [concept, ...others.split(' ').filter((other) => other !== '')].map((spelling) => [spelling, concept]),
    ),
  );
}
