// Has a thread run TypeScript: `--import tsx` does so for the main thread alone.
import { register } from 'tsx/esm/api';

register();
