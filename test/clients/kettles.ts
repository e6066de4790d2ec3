import { record } from '../support/listings.js';

/** The listings that the tests of the generated clients search, count and mirror. */
export const KETTLES = [
  record({ sku: 'a', name: 'Blue kettle', brand: 'Sonvara', price: '20.00', metadata: { colour: 'blue' } }),
  record({
    sku: 'b',
    name: 'Red kettle',
    brand: 'Rondure',
    source: 'shop_b',
    price: '30.00',
    metadata: { colour: 'red' },
  }),
  record({ sku: 'c', name: 'Grey kettle', brand: 'Other', price: null, metadata: { colour: 'grey' } }),
];
