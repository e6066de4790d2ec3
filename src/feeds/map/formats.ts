import { parse } from 'yaml';
import { shippedText } from '../../platform/shipped-files.js';
import { type FeedMap, readFeedMap } from './feed-map.js';

/** The formats whose maps the service ships with, in `mappings/formats/`. */
export const FORMATS = ['google', 'shopify', 'woocommerce', 'openai', 'schemaorg'] as const;
export type Format = (typeof FORMATS)[number];

export const formatMap = (format: Format): FeedMap =>
  readFeedMap(parse(shippedText(`mappings/formats/${format}.yaml`)));
