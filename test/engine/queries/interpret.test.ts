import { assert } from 'chai';
import { interpret } from '../../../src/engine/queries/interpret/interpret.js';
import { phrases } from '../../support/words.js';

const SOURCES = ['shopee_sg', 'shopee_my', 'lazada_sg', 'amazon_sg', 'Shop-B', 'shopeefood', '12', 'a'];

/**
 * A query as typed, the text that remains of it, and the filters that were read from it, as URL parameters.
 */
type Case = [typed: string, text: string, read: string];

const READ: Record<string, Case[]> = {
  German: [
    ['Kaffeemaschine unter 200 €', 'Kaffeemaschine', 'max_price=200&price_currency=EUR'],
    ['Kaffeemaschine unter 200', 'Kaffeemaschine', 'max_price=200'],
    ['Kopfhörer bis 49,90 Euro', 'Kopfhörer', 'max_price=49.90&price_currency=EUR'],
    ['Kopfhörer zwischen 50 und 100 Euro', 'Kopfhörer', 'min_price=50&max_price=100&price_currency=EUR'],
    ['Laptop über 1000 €', 'Laptop', 'min_price=1000&price_currency=EUR'],
    ['Laptop ab 500 €', 'Laptop', 'min_price=500&price_currency=EUR'],
    ['günstigste Waschmaschine', 'Waschmaschine', 'sort=price_asc'],
    ['Fernseher nicht teurer als 600 Euro', 'Fernseher', 'max_price=600&price_currency=EUR'],
    ['Drucker sofort lieferbar', 'Drucker', 'in_stock=true'],
    ['Drucker vorrätig', 'Drucker', 'in_stock=true'],
    ['Drucker nicht lieferbar', 'Drucker', 'in_stock=false'],
    ['Sessel reduziert', 'Sessel', 'sort=discount'],
    // Numbers without a currency after words that also stand before other numbers are no prices.
    ['Kinderbett ab 2', 'Kinderbett ab 2', ''],
    ['Winterreifen bis 190', 'Winterreifen bis 190', ''],
    ['Ab Roller 3', 'Ab Roller 3', ''],
    ['Lampe unter Tisch', 'Lampe unter Tisch', ''],
    ['Notebook unter 16 Zoll', 'Notebook unter 16 Zoll', ''],
    ['Koffer unter 3 kg', 'Koffer unter 3 kg', ''],
  ],
  Thai: [
    ['หูฟังบลูทูธ ไม่เกิน 1000 บาท', 'หูฟังบลูทูธ', 'max_price=1000&price_currency=THB'],
    ['หูฟังราคาไม่เกิน 500', 'หูฟัง', 'max_price=500'],
    ['กล้องเกิน 20000 บาท', 'กล้อง', 'min_price=20000&price_currency=THB'],
    ['พัดลมราคาถูกที่สุด', 'พัดลม', 'sort=price_asc'],
    ['รองเท้าวิ่ง พร้อมส่ง', 'รองเท้าวิ่ง', 'in_stock=true'],
    ['รองเท้าวิ่ง มีของ', 'รองเท้าวิ่ง', 'in_stock=true'],
    ['รองเท้าวิ่ง ไม่มีของ', 'รองเท้าวิ่ง', 'in_stock=false'],
    ['น้ำหอม มีของแถม', 'น้ำหอม มีของแถม', ''],
  ],
  English: [
    [
      'wireless earbuds under $50 in stock from shopee',
      'wireless earbuds',
      'max_price=50&in_stock=true&source=shopee_my|shopee_sg',
    ],
    ['phone under 500', 'phone', 'max_price=500'],
    ['laptop 16 inch under 2000', 'laptop 16 inch', 'max_price=2000'],
    ['Laptop below RM5,000.50', 'Laptop', 'max_price=5000.50&price_currency=MYR'],
    ['headphones between 100 and 200', 'headphones', 'min_price=100&max_price=200'],
    ['headphones between S$100 and $200', 'headphones', 'min_price=100&max_price=200&price_currency=SGD'],
    ['watch $100-$200', 'watch', 'min_price=100&max_price=200'],
    ['watch from $100 to 200', 'watch', 'min_price=100&max_price=200'],
    ['cheapest rice cooker', 'rice cooker', 'sort=price_asc'],
    ['the newest iphone', 'iphone', 'sort=newest'],
    ['laptop under 800 sorted by price', 'laptop', 'max_price=800&sort=price_asc'],
    ['laptop sort by price low to high', 'laptop', 'sort=price_asc'],
    ['laptop sorted by price, high to low', 'laptop', 'sort=price_desc'],
    ['laptop ranked by rating', 'laptop', 'sort=rating'],
    ['laptop sorted by biggest discount', 'laptop', 'sort=discount'],
    ['phones ordered by newest', 'phones', 'sort=newest'],
    ['waste sorted bin', 'waste sorted bin', ''],
    ['sneakers on sale', 'sneakers', 'sort=discount'],
    ['top rated sneakers under 100', 'sneakers', 'sort=rating&max_price=100'],
    ['the best-reviewed sneakers', 'sneakers', 'sort=rating'],
    ['sneakers out of stock', 'sneakers', 'in_stock=false'],
    ['sneakers discount', 'sneakers', 'sort=discount'],
    ['discounted sneakers price under 100', 'sneakers', 'sort=discount&max_price=100'],
    ['tv over 1000 dollars', 'tv', 'min_price=1000'],
    ['tv more than USD 1k', 'tv', 'min_price=1000&price_currency=USD'],
    ['tv $500 and up', 'tv', 'min_price=500'],
    ['tv up to S$1,200', 'tv', 'max_price=1200&price_currency=SGD'],
    ['tv no more than 800 sgd', 'tv', 'max_price=800&price_currency=SGD'],
    ['tv over $300 and under $600', 'tv', 'min_price=300&max_price=600'],
    ['blender 4 stars and up', 'blender', 'min_rating=4'],
    ['blender rated above 4', 'blender', 'min_rating=4'],
    ['blender 4.5+ stars under 100', 'blender', 'min_rating=4.5&max_price=100'],
    ['blender with at least 4 stars', 'blender', 'min_rating=4'],
    ['phone under 500 with good camera', 'phone with good camera', 'max_price=500'],
    ['earbuds that are in stock and under $50', 'earbuds', 'in_stock=true&max_price=50'],
    ['case from shopee or lazada', 'case', 'source=lazada_sg|shopee_my|shopee_sg'],
    ['case from Shopee Singapore', 'case', 'source=shopee_sg'],
    ['case on amazon_sg', 'case', 'source=amazon_sg'],
    ['case from shop b', 'case', 'source=Shop-B'],
    ['gifts for girls under 50', 'gifts for girls', 'max_price=50'],
    ['laptop with 16gb ram under 1500', 'laptop with 16gb ram', 'max_price=1500'],
    ['tv over 1000', 'tv', 'min_price=1000'],
    ['phone <500', 'phone', 'max_price=500'],
    ['anything under $20 in stock', '', 'max_price=20&in_stock=true'],
    ['cheapest', '', 'sort=price_asc'],
    ['"under 500" phone under 300', '"under 500" phone', 'max_price=300'],
    ['phone not over 500', 'phone', 'max_price=500'],
    ['kettle under 200 zł', 'kettle', 'max_price=200&price_currency=PLN'],
    ['kettle under 4 900 Kč', 'kettle under 4 900 Kč', ''],
    ['kettle under 4.900 Kč', 'kettle', 'max_price=4900&price_currency=CZK'],
    ['kettle under AU $90', 'kettle', 'max_price=90&price_currency=AUD'],
    ['kettle below Rs 1,20,000', 'kettle', 'max_price=120000&price_currency=INR'],
    ['kettle under 300 kr', 'kettle', 'max_price=300'],
    ['kettle under SEK 300', 'kettle', 'max_price=300&price_currency=SEK'],
    ['kettle over ₩30,000', 'kettle', 'min_price=30000&price_currency=KRW'],
    ['kettle between 500 and 900 บาท', 'kettle', 'min_price=500&max_price=900&price_currency=THB'],
    ['kettle under 3000円', 'kettle', 'max_price=3000&price_currency=JPY'],
    ['kettle priced in chf', 'kettle', 'currency=CHF'],
    ['phone under 500 under 300', 'phone under 300', 'max_price=500'],
    ['😀 phone under 500', '😀 phone', 'max_price=500'],
  ],
  'Malay and Indonesian': [
    ['lamp under 50 only in SGD', 'lamp', 'max_price=50&currency=SGD'],
    ['lamp under RM50 only in SGD', 'lamp', 'max_price=50&price_currency=MYR&currency=SGD'],
    ['only in S$ lamp', 'lamp', 'currency=SGD'],
    ['lamp in ringgit only', 'lamp', 'currency=MYR'],
    ['lamp priced in usd below $20', 'lamp', 'currency=USD&max_price=20'],
    ['EUR only lamp', 'lamp', 'currency=EUR'],
    ['lampu bawah RM50 dalam SGD sahaja', 'lampu', 'max_price=50&price_currency=MYR&currency=SGD'],
    ['只要新币的 台灯', '台灯', 'currency=SGD'],
    ['lamp not only in SGD', 'lamp not only in SGD', ''],
    ['lamp in dollars only', 'lamp in dollars only', ''],
    ['lamp in sgd colours', 'lamp in sgd colours', ''],
    ['telefon bawah RM500', 'telefon', 'max_price=500&price_currency=MYR'],
    ['laptop kurang dari 5 juta', 'laptop', 'max_price=5000000'],
    ['laptop di bawah Rp5.000.000', 'laptop', 'max_price=5000000&price_currency=IDR'],
    ['hp 1,5jt ke bawah', 'hp', 'max_price=1500000'],
    ['kasut antara 100 hingga 200', 'kasut', 'min_price=100&max_price=200'],
    ['kasut RM100 - RM200', 'kasut', 'min_price=100&max_price=200&price_currency=MYR'],
    ['kamera lebih dari 300 ringgit', 'kamera', 'min_price=300&price_currency=MYR'],
    ['kamera RM500 ke atas', 'kamera', 'min_price=500&price_currency=MYR'],
    ['kasut paling murah', 'kasut', 'sort=price_asc'],
    ['kasut diurutkan berdasarkan harga', 'kasut', 'sort=price_asc'],
    ['kasut urut dari harga termahal', 'kasut', 'sort=price_desc'],
    ['sepatu termurah ready stock', 'sepatu', 'sort=price_asc&in_stock=true'],
    ['sepatu ada stok dari shopee', 'sepatu', 'in_stock=true&source=shopee_my|shopee_sg'],
    ['sepatu harga bawah 500rb', 'sepatu', 'max_price=500000'],
    ['blender rating di atas 4', 'blender', 'min_rating=4'],
    ['blender 4 bintang ke atas', 'blender', 'min_rating=4'],
    ['tv kurang dari 3 juta di lazada', 'tv', 'max_price=3000000&source=lazada_sg'],
    ['hp harga 1-2 juta', 'hp', 'min_price=1000000&max_price=2000000'],
    ['hp antara Rp500 ribu dan 2 juta', 'hp', 'min_price=500000&max_price=2000000&price_currency=IDR'],
    ['hp terbaru', 'hp', 'sort=newest'],
    ['hp rating tertinggi', 'hp', 'sort=rating'],
    ['hp stok habis', 'hp', 'in_stock=false'],
  ],
  Chinese: [
    ['手机 按价格排序', '手机', 'sort=price_asc'],
    ['手机 价格从高到低', '手机', 'sort=price_desc'],
    ['耳机500元以下', '耳机', 'max_price=500'],
    ['500元以下的耳机', '耳机', 'max_price=500'],
    ['低于500的手机', '手机', 'max_price=500'],
    ['手机100到200元', '手机', 'min_price=100&max_price=200'],
    ['手机 价格在100到200之间', '手机', 'min_price=100&max_price=200'],
    ['最便宜的手机', '手机', 'sort=price_asc'],
    ['手机 有货', '手机', 'in_stock=true'],
    ['手機 現貨', '手機', 'in_stock=true'],
    ['手機 缺貨', '手機', 'in_stock=false'],
    ['现货耳机 不超过S$50', '耳机', 'in_stock=true&max_price=50&price_currency=SGD'],
    ['超过1万块的电视', '电视', 'min_price=10000'],
    ['电视 1000人民币以上', '电视', 'min_price=1000&price_currency=CNY'],
    ['来自shopee的耳机', '耳机', 'source=shopee_my|shopee_sg'],
    ['评分4以上的耳机', '耳机', 'min_rating=4'],
    ['耳机4星以上', '耳机', 'min_rating=4'],
    ['评分最高的耳机', '耳机', 'sort=rating'],
    ['缺货的耳机', '耳机', 'in_stock=false'],
    ['100块以内 耳机', '耳机', 'max_price=100'],
    ['在lazada买的手机', '手机', 'source=lazada_sg'],
    ['电视500到1万元', '电视', 'min_price=500&max_price=10000'],
    ['¥100-200 耳机', '耳机', 'min_price=100&max_price=200'],
  ],
};

const NOT_READ = [
  ...phrases(`
    under armour | under armour 2 pack | over ear headphones | over the ear | 4 star general |
    5 star hotel towel | between two ferns | cake from scratch | 500 puzzles | under 500 puzzles |
    puzzle under 500 pieces | power bank over 20000 mah | power bank over 20000mah | dumbbell under 5 kg |
    dumbbell under 5kg | tv under 55" | shoes size under 42 | multivitamin for women over 50 |
    toys for kids under 5 | sd card up to 512 | sd card 64-128 | game over 2 | iphone 15 pro max 500 |
    between 5 and 10 kg | lens from 18 to 55 | table under 1.000 | fan under 50% | not in stock |
    shoes not from shopee | case from shopeefud | case from amazon.com | case from 12 | made from a |
    iphone 15 | rm500 | discount card holder | for sale sign | livestock in | overstock 500 |
    under $500-piece set | between $200 and $100 | between S$100 and RM200 | windows 10 64-bit |
    "in stock" sticker | under-sink 50 | 4 stars | rak bawah 100cm | kaos anak umur 5 ke atas |
    usb dari kulit | susu lebih dari 2 liter | tidak tersedia | 5岁以下儿童玩具 | 500毫升以下 | 4星将军 | 没有货 |
    不在shopee | 16寸以上 | 在家 | 100到200毫升 | the under | under | from | above 4k tv stand | tv over 55 |
    tv between 43 and 55 | thermometer below 0 | bolts from din 912 to din 933 | ladder under 6 ft | lamp under 1.299 € |
    shoes under 100 try me | notebook under 5 pen
  `),
  '',
  ' ',
];

describe('words that stand for filters and orders', () => {
  const readingsOf = (typed: string) => interpret(typed, { sources: SOURCES });

  for (const [language, cases] of Object.entries(READ)) {
    describe(language, () => {
      for (const [typed, text, expected] of cases) {
        it(`${typed} → ${text} ${expected}`, () => {
          const found = readingsOf(typed);
          const read = found.read.map(({ parameter, value }) => `${parameter}=${value}`).join('&');
          assert.deepEqual([found.text, read], [text, expected]);
        });
      }
    });
  }

  for (const typed of NOT_READ) {
    it(`${JSON.stringify(typed)} is not interpreted`, () => {
      assert.deepEqual(readingsOf(typed), { text: typed, read: [] });
    });
  }

  it('have spans in UTF-16 code units', () => {
    const typed = '😀 phone under S$500, in stock';
    const words = readingsOf(typed).read.map(({ parameter, from, to }) => [parameter, typed.slice(from, to)]);
    assert.deepEqual(words, [
      ['max_price', 'under S$500'],
      ['price_currency', 'under S$500'],
      ['in_stock', 'in stock'],
    ]);
  });
});
