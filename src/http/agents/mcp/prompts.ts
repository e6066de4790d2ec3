import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server';
import { quoted } from './text.js';

const PRODUCT = {
  name: 'product',
  description: 'Name, model number, GTIN or URL of the product',
  required: true,
};

interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required?: boolean }[];
  /** The steps that a language model should take. The arguments are in quotation marks. */
  text(args: Readonly<Record<string, string>>): string[];
}

const PROMPTS: readonly Prompt[] = [
  {
    name: 'compare_offers',
    title: 'Compare offers',
    description: 'All offers of a product, and which one to buy',
    arguments: [PRODUCT],
    text: ({ product = '' }) => [
      `Compare the offers of ${product}.`,
      `1. Call find_best_price with q=${product}. If it finds nothing, make the call that it suggests and ask which listing is meant.`,
      '2. Call get_offers with the id of the first item; read on while has_more is true.',
      '3. List each offer in a table: shop, price, stock, rating, seconds since its last check (age_s), link.',
      '4. Recommend one. Name what differs between the offers, and leave out any whose match_score is below 0.8 or say that it may be another variant.',
    ],
  },
  {
    name: 'is_this_a_good_price',
    title: 'Is this a good price?',
    description: 'Whether to buy a product now, by its price history and other offers',
    arguments: [
      PRODUCT,
      { name: 'price', description: 'The price in question; by default the lowest offer' },
    ],
    text: ({ product = '', price }) => [
      `Is ${price === undefined ? 'the lowest price' : `the price ${price}`} of ${product} a good one?`,
      `1. Call find_best_price with q=${product}.`,
      '2. Call get_price_history with the id of the cheapest item that is in stock.',
      '3. Compare the price with the median, the lowest price of 90 days and the other offers. Say how many days were observed; with few of them, say that the history is short.',
      '4. Answer yes, no or unknown in the first sentence, then give the figures.',
    ],
  },
  {
    name: 'watch_product',
    title: 'Watch a product',
    description: 'Get notified when a product becomes cheap enough',
    arguments: [PRODUCT, { name: 'price', description: 'The price to wait for; by default a proposal' }],
    text: ({ product = '', price }) => [
      `Watch ${product}${price === undefined ? '' : ` and report a price below ${price}`}.`,
      `1. Call find_best_price with q=${product}, and say which listing will be watched.`,
      `2. Call get_price_history with its id. ${price === undefined ? 'Propose a price below the median that it had in the last 90 days, and ask for consent.' : 'Say whether the listing ever cost so little, and when.'}`,
      '3. With consent, call manage_alerts with action=create, product_id, price_below and currency; scope=product if any shop will do.',
      '4. Say that the events of the alert are read with manage_alerts, action=events.',
    ],
  },
];

export const PROMPT_LIST: ListPromptsResult['prompts'] = PROMPTS.map(({ text: _, ...prompt }) => prompt);

const MAX_ARGUMENT = 300;

/** Returns a prompt with its arguments filled in, or a text that states what is wrong with the request. */
export function getPrompt(
  name: string,
  args: Readonly<Record<string, string>> = {},
): GetPromptResult | string {
  const prompt = PROMPTS.find((one) => one.name === name);
  if (prompt === undefined)
    return `No such prompt; there are ${PROMPTS.map(({ name: one }) => one).join(', ')}`;
  const given = prompt.arguments.flatMap(({ name: argument }): [string, string][] => {
    const text = args[argument]?.trim() ?? '';
    return text === '' ? [] : [[argument, quoted(text, MAX_ARGUMENT)]];
  });
  const filled = Object.fromEntries(given);
  const missing = prompt.arguments.find(({ name: one, required }) => required === true && !(one in filled));
  if (missing !== undefined) return `The argument ${missing.name} is required`;
  const text = prompt.text(filled).join('\n');
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
