import { shippedJson } from '../platform/shipped-files.js';
import { type CatalogueWords, classifyByCatalogue, NO_WORDS } from './classifiers/catalogue.js';
import { classifyPositions } from './classifiers/positions.js';
import { classifyShapes } from './classifiers/shapes.js';
import { classifySizes } from './classifiers/sizes.js';
import { classifyStated, type StatedFields } from './classifiers/stated.js';
import { classifySurroundings } from './classifiers/surroundings.js';
import { classifyWords } from './classifiers/words.js';
import { Proposals } from './evidence.js';
import { COLOURS } from './lexicon.js';
import { type Role, ROLES, type Scope, SCOPES } from '../schemas/roles.js';
import { solve } from './solver.js';
import { GAP, readTokens, type Tokens } from './tokens.js';
import { readWeights, SCOPE_COUNT, type WeightFile, type Weights } from './weights.js';

/** What is known about a text in addition to its words, such as the stated brand. */
export interface NameContext {
  stated?: StatedFields;
  /** What the listings of the catalogue teach about words. */
  catalogue?: CatalogueWords;
}

/** A run of tokens with one role in one scope. */
export interface ReadSpan {
  role: Role;
  scope: Scope;
  /** Where it begins and ends in the text, in UTF-16 code units; the end is exclusive. */
  from: number;
  to: number;
  /** The form in which spans are compared: folded, with one blank between tokens; of a colour, its concept. */
  normal: string;
  /** The tokens of the span, as indices of `Tokens`; the end is exclusive. */
  tokens: readonly [from: number, to: number];
}

/** How a text is understood: each token has one role in one scope. */
export interface Reading {
  tokens: Tokens;
  spans: readonly ReadSpan[];
  /** What the classifiers proposed for each token. */
  proposals: Proposals;
}

export const WEIGHTS_FILE = 'src/naming/weights.json';
/** The fitted weights that ship with the service. */
let shipped: Weights | undefined;
export const shippedWeights = (): Weights =>
  (shipped ??= readWeights(shippedJson(WEIGHTS_FILE) as WeightFile));

/** Returns what all classifiers propose for the tokens of a name: roles with their evidence. */
export function proposalsFor(
  tokens: Tokens,
  { stated = {}, catalogue = NO_WORDS }: NameContext = {},
): Proposals {
  const proposals = new Proposals(tokens.text.length);
  const signs = classifyWords(tokens, proposals);
  classifySizes(tokens, proposals);
  classifyShapes(tokens, proposals);
  classifyPositions(tokens, proposals, signs);
  classifySurroundings(tokens, proposals, signs);
  classifyByCatalogue(tokens, proposals, catalogue);
  classifyStated(tokens, proposals, stated);
  return proposals;
}

/** Reads the beginning of a text of any length. @param weights what the evidence is worth. */
export function readName(text: string, context: NameContext = {}, weights = shippedWeights()): Reading {
  const tokens = readTokens(text);
  const proposals = proposalsFor(tokens, context);
  const labels = solve(tokens, proposals, weights);
  const spans: ReadSpan[] = [];
  for (let from = 0; from < labels.length;) {
    let to = from + 1;
    while (to < labels.length && labels[to] === labels[from] && !isBorder(tokens, proposals, to)) to += 1;
    spans.push(spanOf(tokens, labels[from] ?? 0, from, to));
    from = to;
  }
  return { tokens, spans, proposals };
}

/** Whether a new span begins with a token although it has the role of the token before it. */
const isBorder = ({ gap }: Tokens, proposals: Proposals, token: number): boolean =>
  gap[token] === GAP.mark || proposals.startsSpan(token);

function spanOf(tokens: Tokens, label: number, from: number, to: number): ReadSpan {
  const role = ROLES[Math.floor(label / SCOPE_COUNT)] ?? 'noise';
  const words = tokens.text.slice(from, to);
  // A size has a blank between the number and the unit: `16 gb` for `16gb`.
  const text = (
    role === 'size' ? words.map((word) => word.replace(/^([\d.,]+)(?=[a-z]+\d?$)/, '$1 ')) : words
  ).join(' ');
  return {
    role,
    scope: SCOPES[label % SCOPE_COUNT] ?? 'item',
    from: tokens.from[from] ?? 0,
    to: tokens.to[to - 1] ?? 0,
    normal: role === 'colour' ? (COLOURS.get(text) ?? text) : text,
    tokens: [from, to],
  };
}
