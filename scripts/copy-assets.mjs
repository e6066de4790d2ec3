// The compiler moves code alone; JSON and scripts that are read at run time go beside it.
import { cpSync, statSync } from 'node:fs';

const isAsset = (file) => statSync(file).isDirectory() || /\.(json|mjs)$/.test(file);

cpSync('mappings', 'dist/mappings', { recursive: true });
for (const folder of ['src', 'scripts']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: isAsset });
}
