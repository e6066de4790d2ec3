import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { ApiError } from '../../platform/errors.js';
import type { Api } from './tool.js';

const JSON_TYPE = 'application/json';
const CATEGORIES = 'catalog://categories';
const PRODUCT = /^catalog:\/\/products\/(\d{1,16})$/;

export const resources: ListResourcesResult['resources'] = [
  {
    uri: CATEGORIES,
    name: 'categories',
    title: 'Every category with its number of listings',
    mimeType: JSON_TYPE,
  },
];

export const resourceTemplates: ListResourceTemplatesResult['resourceTemplates'] = [
  {
    uriTemplate: 'catalog://products/{id}',
    name: 'product',
    title: 'One listing in full',
    mimeType: JSON_TYPE,
  },
];

/** null: nobody has this listing, or it is another address. */
export async function readResource(uri: string, { ask }: Api): Promise<ReadResourceResult | null> {
  const id = PRODUCT.exec(uri)?.[1];
  if (id === undefined && uri !== CATEGORIES) return null;
  try {
    const value =
      id === undefined
        ? await ask('GET /v1/categories', {})
        : await ask('GET /v1/products/{product_id}', { path: { product_id: id } });
    return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }] };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
