import sharp from 'sharp';

/**
 * Creates a picture like those of shops: an object of a few parts on a white background. Each seed gives
 * another object.
 */
export function productPicture(seed: number): Promise<Buffer> {
  const next = random(seed);
  const [width, height] = [150 + next() * 250, 150 + next() * 250];
  const [left, top] = [(500 - width) / 2, (500 - height) / 2];
  const parts = Array.from({ length: 4 + Math.floor(next() * 6) }, () => {
    const [w, h] = [width * (0.2 + next() * 0.6), height * (0.2 + next() * 0.6)];
    const [x, y] = [left + next() * (width - w), top + next() * (height - h)];
    const fill = `rgb(${[next(), next(), next()].map((level) => Math.floor(level * 230)).join()})`;
    return next() < 0.6
      ? `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${next() * 40}" fill="${fill}"/>`
      : `<ellipse cx="${x + w / 2}" cy="${y + h / 2}" rx="${w / 2}" ry="${h / 2}" fill="${fill}"/>`;
  });
  return sharp(svg(`<rect width="500" height="500" fill="white"/>${parts.join('')}`))
    .png()
    .toBuffer();
}

/** Creates an SVG of 500 × 500 pixels. */
export const svg = (content: string, head = ''): Buffer =>
  Buffer.from(`${head}<svg xmlns="http://www.w3.org/2000/svg" width="500" height="500">${content}</svg>`);

/** Creates an SVG of 3 kB that would take years to draw, because each mask uses the previous mask twice. */
export function nestedMasks(depth = 30): Buffer {
  const area = 'width="500" height="500" fill="white"';
  const masks = Array.from({ length: depth }, (_mask, i) =>
    i === 0
      ? `<mask id="m0"><rect ${area}/></mask>`
      : `<mask id="m${i}"><g mask="url(#m${i - 1})"><rect ${area} mask="url(#m${i - 1})"/></g></mask>`,
  );
  return svg(`${masks.join('')}<rect ${area} mask="url(#m${depth - 1})"/>`);
}

/** Creates an SVG of 9 MB that needs 2.5 GB of memory to be drawn. */
export const endlessText = (): Buffer => svg(`<text y="20">${'lorem ipsum dolor '.repeat(500_000)}</text>`);

/**
 * Returns a generator of numbers from 0 to 1, which are the same for the same seed (a linear congruential
 * generator).
 */
function random(seed: number): () => number {
  let state = ((seed + 1) * 716_273_641) % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
