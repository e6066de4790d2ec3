import { assert } from 'chai';
import { readShownPrice } from '../../src/listing/shown-price.js';
import type { Decimal } from '../../src/listing/amount-digits.js';

/** `19.99 SGD`, `from 5 ?` of a "from" price without a single currency, or the reason after `-`. */
function read(text: string, decimal: Decimal = 'either', isCertain = false, usual?: string): string {
  const money = readShownPrice(text, { decimal, isCertain, usual });
  if ('reason' in money) return `- ${money.reason}`;
  return `${money.isFrom ? 'from ' : ''}${money.amount} ${money.currency ?? '?'}`;
}

/**
 * Prices as shops of each market show them, by the number formats of CLDR and by what shops are known to write: the text, and what
 * is read. `- WORD`: it is refused, and the reason has this word.
 */
const MARKETS: Record<string, string> = {
  English: `
    $19.99 => 19.99 ? | US$19.99 => 19.99 USD | US $1,249.00 => 1249.00 USD | USD 1,249 => 1249 USD | EUR 1,249 => - decimals
    $1,249.00 USD => 1249.00 USD | $64.50 CAD => 64.50 CAD | C$1,249.50 => 1249.50 CAD | CA$64 => 64 CAD
    AU $1,249.95 => 1249.95 AUD | A$64.95 => 64.95 AUD | NZ$2,349.00 => 2349.00 NZD | S$2,349 => 2349 SGD
    S$ 2,349.90 => 2349.90 SGD | SGD 39.90 => 39.90 SGD | 39.90 SGD => 39.90 SGD | HK$1,088 => 1088 HKD
    £7.49 => 7.49 GBP | £1,149 => 1149 GBP | GBP 7.49 => 7.49 GBP | €64.90 => 64.90 EUR | €1,064.90 => 1064.90 EUR
    ₹2,34,999 => 234999 INR | ₹ 2,34,999.00 => 234999.00 INR | Rs. 4,599 => 4599 INR | Rs.4,599.00 => 4599.00 INR
    Rs 12,00,000 => 1200000 INR | ₹1,08,49,500/- => 10849500.00 INR | Rs 649/- => 649.00 INR | 7,649 /- => 7649.00 ? | Sale: $64.99 => 64.99 ? | $2.99/ea => 2.99 ? | Only £64! => 64 GBP | £64 free delivery => 64 GBP | INR 85,990.00 => 85990.00 INR | 2,34,999 => 234999 ?
    ₱1,349.75 => 1349.75 PHP | ₦18,500 => 18500 NGN | KSh 2,750 => 2750 KES | R 1 349,00 => 1349.00 ZAR
    R1,349.95 => 1349.95 ZAR | ৳ 64,900 => 64900 BDT | From $64.50 => from 64.50 ? | from US$64 => from 64 USD
    Starting at £64 => from 64 GBP | as low as $5.25 each => from 5.25 ? | Prices from: A$64.95 => from 64.95 AUD
    $64.50+ => from 64.50 ? | Now £64.99 => 64.99 GBP | Our price: $64.99 => 64.99 ? | £64.99 each => 64.99 GBP
    £64.99 inc. VAT => 64.99 GBP | £64.99 (incl. VAT) => 64.99 GBP | $70.00 incl. GST => 70.00 ?
    ₹2,349 inclusive of all taxes => 2349 INR | $64.99 per item => 64.99 ? | S$64.90/pc => 64.90 SGD | $.79 => 0.79 ?
    64.99* => 64.99 ? | £64.99 ex VAT => - ex | $4.99/lb => - /lb | $64 - $99 => - several numbers | $1,249 => - decimals
    was £64.99 => - was | 3 for £10 => - several numbers | 64 GB => - GB | 15% off => - amount | 64p => 0.64 GBP | 164p => - amount | 64P => - P | P64 => - P | 64c => 0.64 ? | $64.90 U.S. => 64.90 USD | £64.90 - Free Delivery => 64.90 GBP | $4.95/pkt => 4.95 ? | -$5.00 => - -`,
  'Malay and Indonesian': `
    RM64.90 => 64.90 MYR | RM 64.90 => 64.90 MYR | RM1,264.90 => 1264.90 MYR | RM1,264 => 1264 MYR | MYR 64.90 => 64.90 MYR
    64.90 MYR => 64.90 MYR | RM 64 => 64 MYR | RM64.90/unit => 64.90 MYR | RM64.90 / pcs => 64.90 MYR
    Harga: RM64.90 => 64.90 MYR | Dari RM64.90 => from 64.90 MYR | daripada RM 1,064.90 => from 1064.90 MYR
    bermula dari RM64 => from 64 MYR | hanya RM64.90 => 64.90 MYR | RM 64.90 sahaja => 64.90 MYR | Harga promo Rp64.900 => 64900 IDR | RM64.90 termasuk SST => 64.90 MYR
    Rp64.900 => 64900 IDR | Rp 64.900 => 64900 IDR | Rp1.264.900 => 1264900 IDR | Rp 12.649.000 => 12649000 IDR
    Rp. 64.900,- => 64900.00 IDR | Rp. 1.264.900,00 => 1264900.00 IDR | IDR 1.264.900 => 1264900 IDR | IDR 64900 => 64900 IDR
    rm 64.90 => 64.90 MYR | rp 64.900 => 64900 IDR | 64 sen => 0.64 MYR | Rp 64.900 sudah termasuk PPN 11% => 64900 IDR | RM64.90 (Inc. SST) => 64.90 MYR
    IDR 64.900 => - decimals | 64.900 VND => 64900 VND | mulai Rp64.900 => from 64900 IDR | Mulai dari Rp 1.264.900 => from 1264900 IDR
    harga mulai Rp64.900 => from 64900 IDR | Rp64.900/buah => 64900 IDR | Rp64.900 per pasang => 64900 IDR
    Rp 64.900 termasuk PPN => 64900 IDR | 64.900 rupiah => 64900 IDR | B$64.90 => 64.90 BND | 64,9 ribu => - ribu
    Rp1,2 juta => - juta | Rp64.900/kg => - /kg | Rp64.900 - Rp99.000 => - several numbers | RM12.90/100g => - several`,
  Chinese: `
    ¥1,264 => 1264 ? | ￥1264.50 => 1264.50 ? | ¥64.00起 => from 64.00 ? | CN¥1,264.00 => 1264.00 CNY | RMB 1,264 => 1264 CNY
    RMB64.9 => 64.9 CNY | CNY 64.90 => 64.90 CNY | 人民币1264元 => 1264 CNY | 1264元 => 1264 ? | 1,264元 => 1264 ?
    64.9元 => 64.9 ? | 64.90元/件 => 64.90 ? | 64元起 => from 64 ? | 售价：64.90元 => 64.90 ? | 现价 ¥64 => 64 ?
    仅64元 => 64 ? | 促销价 ¥64 => 64 ? | 優惠價 NT$64 => 64 TWD | ¥6.4包邮 => 6.4 ? | NTD 1,264 => 1264 TWD | NT$1,264 => 1264 TWD | NT$ 1,264元 => 1264 TWD | NT$1,264起 => from 1264 TWD | 新台幣1,264元 => 1264 TWD
    HK$1,264.00 => 1264.00 HKD | 港幣 1,264 => 1264 HKD | 特價 NT$64 => 64 TWD | S$64.90 => 64.90 SGD | 64.90新币 => 64.90 SGD
    64.90美元 => 64.90 USD | 日元1,264 => 1264 JPY | 欧元64.90 => 64.90 EUR | 64块钱 => 64 ? | 低至¥64 => from 64 ?
    １，２６４元 => 1264 ? | ￥６４．９０ => 64.90 ? | 会员价¥64 => 64 ? | 64元（含税） => 64 ? | 64元（不含税） => - 不
    本店售价：￥64元 => 64 CNY | 64.90 新加坡元 => 64.90 SGD | S$64.90（含GST） => 64.90 SGD | 20万 => - 万 | 1.2万元 => - 万元 | 64元/斤 => - /斤 | 原价64元 => - 原价 | ¥64-99 => - several`,
  German: `
    49,- => 49.00 ? | 64,- € => 64.00 EUR | 64,-EUR => 64.00 EUR | Nur 64,90 €! => 64.90 EUR | Sonderpreis 64,90 € => 64.90 EUR | 64,90 € inkl. Versand => 64.90 EUR | 1.264,-- € => 1264.00 EUR | 64,– EUR => 64.00 EUR | 64.– => 64.00 ? | 64,90 € => 64.90 EUR
    64,90€ => 64.90 EUR | € 64,90 => 64.90 EUR | EUR 64,90 => 64.90 EUR | 1.264,90 € => 1264.90 EUR | 1 264,90 € => 1264.90 EUR
    1 264,90 EUR => 1264.90 EUR | 64,90 Euro => 64.90 EUR | 1.264.900,00 € => 1264900.00 EUR | 64,90 €* => 64.90 EUR
    64,90 € ** => 64.90 EUR | 64,90* € => 64.90 EUR | 64,90 € ¹ => 64.90 EUR | ,79 € => 0.79 EUR | ab 64,90 € => from 64.90 EUR
    Ab 1.264,– € => from 1264.00 EUR | schon ab 64 € => from 64 EUR | nur 64,90 € => 64.90 EUR | Preis: 64,90 € => 64.90 EUR
    64,90 €/Stk. => 64.90 EUR | 64,90 € / Stück => 64.90 EUR | 64,90 € pro Stück => 64.90 EUR | 64,90 € je Paar => 64.90 EUR
    64,90 € inkl. MwSt. => 64.90 EUR | 64,90 € inkl. 19 % MwSt. zzgl. Versandkosten => 64.90 EUR
    64,90 € (inkl. gesetzl. MwSt., zzgl. Versand) => 64.90 EUR | CHF 64.90 => 64.90 CHF | CHF 1'264.90 => 1264.90 CHF
    CHF 1’264.– => 1264.00 CHF | Fr. 64.90 => 64.90 CHF | Fr. 1'264.- => 1264.00 CHF | 64.90 Fr. => 64.90 CHF
    SFr. 64.– => 64.00 CHF | 64.- CHF => 64.00 CHF | 64 Franken => 64 CHF | 1.264 € => - decimals | 64,90 €/kg => - /kg
    64,90 € zzgl. MwSt. => - zzgl | UVP 64,90 € => - UVP | statt 64,90 € => - statt | 64,90 € mtl. => - mtl | 12 Stück => - Stück
    Varianten ab 64,90 €* => from 64.90 EUR | -,79 € => 0.79 EUR | - ,79 € => - - | 64⁹⁰ € => - ⁹⁰ | ca. 64,90 € => - ca | 2 x 64,90 € => - several`,
  Thai: `
    ฿1,264 => 1264 THB | ฿ 1,264.00 => 1264.00 THB | ฿64 => 64 THB | ฿64.50 => 64.50 THB | 64 บาท => 64 THB | 1,264 บาท => 1264 THB
    1,264.50 บาท => 1264.50 THB | 1,264.- => 1264.00 ? | 1,264.- บาท => 1264.00 THB | 64.-บาท => 64.00 THB | โปรโมชั่น ฿64 => 64 THB | ราคาขาย 64 บาท => 64 THB | ฿1,264.- => 1264.00 THB | 64.- => 64.00 ?
    THB 1,264.00 => 1264.00 THB | 1264 THB => 1264 THB | 64 baht => 64 THB | 64 Baht => 64 THB | ราคา 1,264 บาท => 1264 THB
    75 สตางค์ => 0.75 THB | ราคา: ฿64 => 64 THB | เพียง 64 บาท => 64 THB | เหลือเพียง ฿1,264 => 1264 THB | เริ่มต้น ฿64 => from 64 THB
    เริ่มต้นที่ 1,264 บาท => from 1264 THB | ราคาเริ่มต้น ฿1,264 => from 1264 THB | ตั้งแต่ 64 บาท => from 64 THB
    64 บาท/ชิ้น => 64 THB | 64 บาท ต่อ คู่ => 64 THB | ชิ้นละ 64 บาท => 64 THB | กิโลกรัมละ 64 บาท => - กิโลกรัมละ | ๖๔ บาท => 64 THB | ๑,๒๖๔ บาท => 1264 THB
    ฿๑,๒๖๔.๕๐ => 1264.50 THB | 64 บาท (รวม VAT แล้ว) => 64 THB | ฿1,264.00 รวมภาษีมูลค่าเพิ่ม => 1264.00 THB
    ราคาพิเศษ 64 บาท => 64 THB | 64 ดอลลาร์ => 64 ? | ฿64/กก. => - /กก | ฿64 - ฿99 => - several | 64 กรัม => - กรัม
    1,264.50 บาทไทย => 1264.50 THB | ไม่รวม VAT 64 บาท => - ไม่`,
  Czech: `
    1 264 Kč => 1264 CZK | 1 264,- Kč => 1264.00 CZK | 1 264,– Kč => 1264.00 CZK | 1.264 Kč => 1264 CZK | 64,90 Kč => 64.90 CZK
    1.264,90 Kč => 1264.90 CZK | od 64 Kč => from 64 CZK | již od 1 264 Kč => from 1264 CZK | 64 Kč s DPH => 64 CZK
    64 Kč vč. 21 % DPH => 64 CZK | 64 Kč/ks => 64 CZK | 64 Kč za kus => 64 CZK | cena: 64 Kč => 64 CZK | 64,- => 64.00 ?
    CZK 1 264 => 1264 CZK | 64 Kč bez DPH => - bez | 64 Kč/kg => - /kg`,
  'ten and more other markets': `
    64,90 KM => 64.90 BAM | BD 12.500 => 12.500 BHD | 64,900 DT => 64.900 TND | 6.490 lek => 6490 ALL | 64 900 soʻm => 64900 UZS
    64 900 сум => 64900 UZS | 6 490 сом => 6490 KGS | 12,900 won => 12900 KRW | रु. 1,29,999 => 129999 ? | ₹1,29,999 रुपये => 129999 INR
    CHF 1ʼ249.50 => 1249.50 CHF | 1′249.00 CHF => 1249.00 CHF
    1 264,00 zł => 1264.00 PLN | 1.264 zł => 1264 PLN | 64,90 zł/szt. => 64.90 PLN | od 64,90 zł => from 64.90 PLN | 64,90 PLN => 64.90 PLN
    12 640 Ft => 12640 HUF | 12.640 Ft => 12640 HUF | csak 640 Ft => 640 HUF | 12 640,- Ft => 12640.00 HUF | 640 Ft/db => 640 HUF
    ₺1.264,90 => 1264.90 TRY | 64,90 lira => 64.90 TRY | 64,90 TL'den başlayan => from 64.90 TRY | 1.264,90 TL => 1264.90 TRY | 1.264 TL => 1264 TRY | 64,90 ₺ KDV dahil => 64.90 TRY
    ₪64.90 => 64.90 ILS | 1,264 ₪ => 1264 ILS | 64.90 ש"ח => 64.90 ILS
    1 264 ₽ => 1264 RUB | 1 264 руб. => 1264 RUB | от 1 264 ₽ => from 1264 RUB | 64,90 руб./шт. => 64.90 RUB
    1 264 ₴ => 1264 UAH | 1 264,50 грн => 1264.50 UAH | від 64 грн => from 64 UAH | 1 264 ₸ => 1264 KZT | 64,90 лв. => 64.90 BGN
    1.264.000 ₫ => 1264000 VND | 64.900 đ => 64900 VND | từ 64.900₫ => from 64900 VND | 64.900 VNĐ => 64900 VND
    1,264円 => 1264 JPY | 1,264円（税込） => 1264 JPY | 1,264円～ => from 1264 JPY | 64円から => from 64 JPY | 1,264円(税抜) => - 税抜
    12,640원 => 12640 KRW | ₩12,640 => 12640 KRW | 12,640원부터 => from 12640 KRW
    1 264 kr => 1264 ? | 1.264 kr. => 1264 ? | 64,90 kr => 64.90 ? | 64:- => 64.00 ? | 1 264:- => 1264.00 ? | fra 1.264,- kr => from 1264.00 ? | från 64 kr => from 64 ?
    alk. 64,90 € => from 64.90 EUR | 64.000Đ => 64000 VND | 64,90 € IVA 21% => - IVA | Q 64.90 => 64.90 GTQ | 64 جنيه => 64 ?
    Kshs 1,264/= => 1264.00 KES | 64.90 درهم => 64.90 ? | 64.90 ريال => 64.90 ? | 64.90 ש״ח => 64.90 ILS | ￦12,640 => 12640 KRW
    1,264円（消費税込） => 1264 JPY | R$ 64,90 no boleto => 64.90 BRL | 64,90 лв. с ДДС => 64.90 BGN
    64 SEK => 64 SEK | kr 64,90 => 64.90 ? | kr 64,90 NOK => 64.90 NOK
    1 264,90 € TTC => 1264.90 EUR | à partir de 64,90 € => from 64.90 EUR | dès 64 € => from 64 EUR | 64,90 € l’unité => 64.90 EUR | 64€90 => 64.90 EUR | 15€10€ => - several
    desde 64,90 € => from 64.90 EUR | 1.264,90 € IVA incluido => 1264.90 EUR | a partire da € 64,90 => from 64.90 EUR | vanaf € 64,- => from 64.00 EUR
    R$ 1.264,90 => 1264.90 BRL | R$ 1.264 => 1264 BRL | S/ 64.90 => 64.90 PEN | S/.64 => 64 PEN | RD$1,264 => 1264 DOP | $ 1.264.900 => 1264900 ?
    MX$1,264.00 => 1264.00 MXN | U$S 64 => 64 USD | 64,90 lei => 64.90 RON | 1.264 lei => 1264 RON | 1.264 din => 1264 RSD
    64.90 د.إ => 64.90 AED | د.إ. 1,264 => 1264 AED | ٦٤٫٩٠ ر.س => 64.90 SAR | ١٬٢٦٤ ج.م => 1264 EGP | 64 Dhs => 64 ?
    1.264,90 € με ΦΠΑ => 1264.90 EUR | ₾64.90 => 64.90 GEL | 64 Bs => 64 ? | 1 264 F CFA => 1264 ? | ₨ 64 => 64 ? | Rs. 12,649 PKR => 12649 PKR`,
};

MARKETS['prices beside other amounts'] = `
    UVP 64,90 € 49,90 € => 49.90 EUR | 49,90 € statt 64,90 € => 49.90 EUR | CHF 49.90 statt 64.90 => 49.90 CHF
    Was £64.90 Now £49.90 => 49.90 GBP | M.R.P.: ₹1,649 ₹1,249 (24% off) => 1249 INR | MRP ₹1,649 => 1649 INR
    原价¥64 现价¥49 => 49 ? | จาก 1,649 เหลือ 1,249 บาท => 1249 THB | De R$ 64,90 por R$ 49,90 => 49.90 BRL
    ab 49,90 € statt 64,90 € => from 49.90 EUR | UVP 49,90 € 64,90 € => - several | was £64 £59 £49 => - several
    64,90 € 49,90 € => - several | Was £64 Save £15 => - Was | £64 off => - off | 64,90 € -20% => 64.90 EUR
    2,49 € (1 kg = 4,98 €) => 2.49 EUR | 2,49 € (0,50 €/100 g) => 2.49 EUR | £2.50 (50p/100g) => 2.50 GBP
    £64.90 (£54.08 ex. VAT) => 64.90 GBP | £54.08 (£64.90 inc VAT) => 64.90 GBP
    54,08 € (64,90 € / Stück inkl. MwSt.) => 64.90 EUR | 12,45 € (24,90 € für 2) => - several
    S$64.90 or 3 payments of S$21.64 => 64.90 SGD | RM1,264.00 atau 3x RM421.34 => 1264.00 MYR
    ab 24,99 € mtl. oder 599 € => - several | £5 p => - amount | $10 or $20 => - several | 12x de R$ 108,33 => - several
    £54.08 ex VAT £64.90 inc VAT => 64.90 GBP | £64.90 £54.08 ex VAT => - several | £20 (£64 inc VAT) => - several
    1,800円（税込1,980円） => 1980 JPY | 469,00 zł bez podatku: 381,30 zł => 469.00 PLN | Was £64 £54 ex VAT => - several
    ₹1,299 ₹1,649 21% off => 1299 INR | Rp64.900 Rp99.900 -35% => 64900 IDR | Rs206.00 Rs164.00 SAVE 20% => 164.00 INR
    ₹1,299 ₹1,649 35% off => - several | Was £64 £15 off => - off | Was £64 £15 off 20% => - several | £15 off £64 => - off
    $19.99 + $5.00 shipping => 19.99 ? | 64,90 € zzgl. 4,95 € Versand => 64.90 EUR | £20 + £35 monthly => - several
    $64.99 (Save $15.00) => 64.99 ? | £49 Save £15 => 49 GBP | £64 Save £15 £49 => - several | Save £15 => - Save
    49,90 zł Najniższa cena z 30 dni: 45,90 zł => 49.90 PLN | 4,99 € 1 kg = 9,98 € => 4.99 EUR
    R$ 1.299,90 em até 10x de R$ 129,99 sem juros => 1299.90 BRL | 10,50 € 10,50 € => 10.50 EUR
    $990 $1,290 => - decimals | Regular price $64.99 => 64.99 ? | Regular price $64.99 Sale price $49.99 => 49.99 ? | 1.837, 32 € => 1837.32 EUR
    £54.08 + VAT (£64.90 inc VAT) => 64.90 GBP | £54.08 + VAT = £64.90 => 64.90 GBP | 54,54 € zzgl. MwSt. (64,90 € inkl. MwSt.) => 64.90 EUR
    54,54 € + 19 % MwSt. = 64,90 € => 64.90 EUR | 64,90 zł brutto / 52,76 zł netto => 64.90 PLN
    12 640 Ft (9 953 Ft + ÁFA) => 12640 HUF | 本体価格1,149円（税込1,264円） => 1264 JPY | EUR 64.90 (inc VAT 20%) EUR 54.08 (exc VAT 20%) => 64.90 EUR
    Original price was: $64.90. Current price is: $49.90. => 49.90 ? | Ursprünglicher Preis war: 64,90 € Aktueller Preis ist: 49,90 €. => 49.90 EUR
    Le prix initial était : 64,90 €. Le prix actuel est : 49,90 €. => 49.90 EUR | El precio original era: 64,90 €. El precio actual es: 49,90 €. => 49.90 EUR
    Pierwotna cena wynosiła: 64,90 zł. Aktualna cena wynosi: 49,90 zł. => 49.90 PLN | Původní cena byla: 640 Kč. Aktuální cena je: 490 Kč. => 490 CZK
    O preço original era: R$ 64,90. O preço atual é: R$ 49,90. => 49.90 BRL | Harga aslinya adalah: Rp64.900. Harga saat ini adalah: Rp49.900. => 49900 IDR
    Giá gốc là: 649.000 ₫. Giá hiện tại là: 499.000 ₫. => 499000 VND | 元の価格は ¥6,490 でした。現在の価格は ¥4,990 です。 => 4990 ?
    原价为：¥64。当前价格为：¥49。 => 49 ? | 市價NT$1,649 特價NT$1,249 => 1249 TWD | 定價：640元 優惠價：79折506元 => 506 ? | 64.9元 原价86.5元 (7.5折) => 64.9 ?
    ¥49 (7折) => 49 ? | ¥64 ¥49 5折 => - several | £64.90 Compare at £79.90 => 64.90 GBP | PRP: 64,90 Lei 49,90 Lei => 49.90 RON
    Was £64 Save £15 Now £49 => 49 GBP | Save £15 £49 => 49 GBP | reduziert 49,90 € 64,90 € => - several | 64,90 € Sie sparen 10,00 € 13 % => 64.90 EUR
    £2.50 £5.00/kg => 2.50 GBP | 2,49 € 24,90 €/kg => 2.49 EUR | 2,49 EUR 24,90 EUR pro Kilogramm => 2.49 EUR | £2.50 50p / 100g => 2.50 GBP
    £4.25 £2.13 per 100ml => 4.25 GBP | ₹64 ₹49/kg => - several | 19,90 € 24,90 €/m => - several | 0,65 € je 1 Stk => 0.65 EUR
    -20% 64,90 € => 64.90 EUR | 15% 12,640원 => 12640 KRW | Diskon 20% Rp 64.900 => 64900 IDR | ลด 20% เหลือ 64 บาท => 64 THB | 20% off £64 => - off
    64,90 EUR (-10,00 %) 58,41 EUR => 58.41 EUR | -20% => - amount | Compare at £64.90 => - Compare
    $64.90 with 35 percent savings => 64.90 ? | 64,90 € mit 35 Prozent Einsparungen => 64.90 EUR | $64.90 with card => - card
    RM80.00 20 peratus diskaun => 80.00 MYR | €80,00 20 prozent Rabatt => 80.00 EUR
    Regular price $64.90 USD Unit price / per => 64.90 USD | Regular price $64.90 USD Regular price Sale price $64.90 USD Unit price / per => 64.90 USD
    Normaler Preis 64,90 € Normaler Preis Verkaufspreis 64,90 € Grundpreis / pro => 64.90 EUR | UVP 64,90 € 64,90 € => 64.90 EUR | UVP 64,90 € UVP 64,90 € => - several
    Normal: Rp 64.900 Promo: Rp 49.900 => 49900 IDR | Unser bisheriger Preis 64,90 EUR Jetzt nur 49,90 EUR => 49.90 EUR | Prix de base 64,90 € Prix 49,90 € => 49.90 EUR
    Prezzo di listino € 64,90 € 49,90 => 49.90 EUR | Nu 49:- Ord. 64:- => 49.00 ? | Старая цена 1 649 ₽ Новая цена 1 264 ₽ => 1264 RUB
    $119. 95 => 119.95 ? | 10, 20 € => - amount | 64,90 руб. (шт) => 64.90 RUB | 99¢ => 0.99 ? | 1 299,99 $ CA => 1299.99 CAD`;

describe('a price as shops show it', () => {
  for (const [market, table] of Object.entries(MARKETS))
    describe(market, () => {
      const rows = table.split(/[|\n]/).map((row) => row.trim().split(' => '));
      for (const [text = '', expected = ''] of rows.filter((row) => row.length === 2))
        it(`${text} => ${expected}`, () => {
          const found = read(text);
          if (!expected.startsWith('- ')) assert.strictEqual(found, expected);
          else {
            assert.match(found, /^- /);
            assert.include(found, expected.slice(2));
          }
        });
    });

  it('is read without the separator of the feed if its form leaves no choice', () => {
    for (const decimal of ['.', ',', 'either'] as const)
      for (const [text, expected] of [
        ['19.99 SGD', '19.99 SGD'],
        ['1.299,00 €', '1299.00 EUR'],
        ['Rp1.299.000', '1299000 IDR'],
        ['0.125 USD', '0.125 USD'],
        ['1234.567 USD', '1234.567 USD'],
      ] as const)
        assert.strictEqual(read(text, decimal), expected, text);
  });

  it('is refused if the operator states another separator', () => {
    assert.match(read('12,90 €', '.', true), /--decimal comma$/);
    assert.match(read('12.90 €', ',', true), /--decimal point$/);
    assert.strictEqual(read('49.- CHF', ',', true), '49.00 CHF');
  });

  it('asks for the separator of decimals if thousands may be meant', () => {
    const ask = /specify --decimal point or --decimal comma$/;
    for (const [text, decimal, usual] of [
      ['1.299 EUR', '.'],
      ['5.123', '.'],
      ['1.299 €', 'either'],
      ['$1,299', 'either'],
      ['$ 1.299', 'either'],
      ['Rp 15.999', '.'],
      ['S$ 1,299', ','],
      ['IDR 15.999', 'either'],
      ['7,250 OMR', '.'],
      ['7,250', '.', 'TND'],
      ['1,299', 'either', 'JPY'],
      ['Fr. 1.299', 'either'],
    ] as const)
      assert.match(read(text, decimal, false, usual), ask, text);
    assert.strictEqual(read('7.250 OMR', '.'), '7.250 OMR');
    assert.strictEqual(read('7,250 OMR', 'either'), '7.250 OMR');
    assert.strictEqual(read('S$ 1,299', '.'), '1299 SGD');
    assert.strictEqual(read('$1,299', 'either', false, 'SGD'), '1299 ?');
    assert.strictEqual(read('$1.299', 'either', false, 'CLP'), '1299 ?');
    assert.strictEqual(read('1.299 EUR', '.', true), '1.299 EUR');
    assert.strictEqual(read('1.299 EUR', ',', true), '1299 EUR');
  });

  it('has marks that agree', () => {
    assert.strictEqual(read('S$5 SGD'), '5 SGD');
    assert.include(read('€5 USD'), 'states two currencies, € and USD');
    assert.include(read('USD 5 EUR'), 'states two currencies');
  });

  it('is not in pence if its currency has none', () => {
    assert.strictEqual(read('85p', 'either', false, 'GBP'), '0.85 GBP');
    for (const usual of ['EUR', 'PHP', 'BWP'])
      for (const text of ['85p', 'P85', 'p85']) assert.match(read(text, 'either', false, usual), /^- /, text);
  });

  it('is refused if its grouping is invalid', () => {
    for (const text of [
      '1.2.3',
      '1,29,99',
      '12 34',
      '1.299 000',
      '1.29.999',
      '0.299.000',
      '1,2345,678',
      'Rs .50',
      '1*234',
    ])
      assert.match(read(text), /^- is not an amount of money/, text);
  });
});
