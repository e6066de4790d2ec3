import { visibleText } from '../../text/clean.js';
import { interpret } from './interpret/interpret.js';
import { QUOTED } from './interpret/phrase.js';

/** A shopper's text: what is looked for, and what must stand in a listing as it is. */
export interface Wording {
  /** All words that are looked for, those in quotes last. */
  text: string;
  /** Of those, the ones that may be misspelt. */
  plain: string;
  /** What stands in quotes, each as a phrase. */
  phrases: string[];
}

const MAX_PHRASES = 5;
/** Whom one buys for: of a thing for babies or kids it is a property, of one for somebody's own baby not. */
const PEOPLE =
  'daughter|son|wife|husband|mum|mom|mother|dad|father|parents?|girlfriend|boyfriend|partner|friends?|brother|sister|' +
  'grandma|grandmother|grandpa|grandfather|grandparents?|niece|nephew|aunt|uncle|cousin|boss|colleague|teacher';
const OWN = 'bab(?:y|ies)|kids?|child(?:ren)?|boys?|girls?|family|team|self';
const ORANG =
  'isteri|istri|suami|ibu|mak|emak|ayah|bapa|bapak|papa|mama|adik|kakak|abang|pacar|kekasih|kawan|teman|keluarga|saya|aku|orang tua';
const CHINESE_PEOPLE =
  '妈妈|爸爸|母亲|父亲|父母|女儿|儿子|孩子|小孩|老婆|老公|妻子|丈夫|太太|先生|女朋友|男朋友|女友|男友|朋友|爷爷|奶奶|外公|外婆|老人|自己|家人|老师|学生';

/** Words of asking before what is asked for, in English, Malay, Indonesian and Chinese. Each ends with a blank, or in Chinese with itself. */
const BEFORE = new RegExp(
  `^(?:${[
    'where (?:can|could|do|should) (?:i|we|you|one) (?:buy|get|find|order|purchase)',
    'where to (?:buy|get|find|order)',
    'who (?:sells|has|stocks)',
    'how much (?:is|are|does|for)',
    "what(?: is|’s|'s| are)(?: the)?",
    "i(?: am|’m|'m)? (?:want|need|would like|looking|searching)(?: to (?:buy|get|find)| for)?",
    '(?:need|want)(?= (?:an?|some)\\b)',
    '(?:can you |please )?(?:find|show|get|give|recommend|suggest) me',
    '(?:looking|searching|search|shopping) for',
    '(?:do|does) (?:you|anyone|anybody) (?:have|sell|stock)',
    '(?:best|lowest|cheapest) prices? (?:of|for|on)',
    '(?:prices?|deals?) (?:of|for|on)',
    'buy|best|cheapest|cheap|good',
    '(?:di ?mana|kat mana|mana) (?:boleh |bisa |dapat |nak |mau )?(?:saya )?(?:beli|cari|dapat)',
    '(?:saya )?(?:nak|mahu|mau|ingin|hendak) (?:beli|cari)',
    'beli|cari|jual|harga|termurah|terbaik|murah|paling (?:murah|bagus|baik)',
  ].join(
    '|',
  )}) (?:(?:an?|some|any|all(?: the)?|the) )?|^(?:请问|我?(?:想|要|想要)买|(?:在?哪里?|在哪儿)(?:可以|能)?买(?:到)?|最?便宜的?|最好的?|推荐(?:一款|一个)?|[送给]给?我?的?(?:${CHINESE_PEOPLE})(?:的|用的|买的)) ?`,
  'iu',
);

/** The same behind it, and what or whom for, where that is no property of a thing. */
const BEHIND = new RegExp(
  ` (?:${[
    'near me|online|please|for sale|prices?|deals?|terbaik|termurah|murah|paling murah',
    'for (?:(?:a|my|the) )?(?:travel(?:l?ing)?|trips?|holidays?|students?|school|college|university|uni|work|everyday|daily|beginners?|gifts?)(?: use)?',
    `for (?:me|myself|us|(?:(?:an?|my|his|her|our|your|the) )?(?:${PEOPLE})|(?:my|his|her|our|your) (?:${OWN}))(?: to use)?`,
    'for (?:(?:an?|my|our|his|her) )?\\d{1,2}[ -](?:years?|yrs?|months?)[ -]olds?(?: (?:boy|girl|son|daughter|kid|child))?',
    'untuk (?:travel|pelajar|mahasiswa|pemula|sekolah|kuliah|kerja|hadiah)',
    `(?:untuk|buat) (?:(?:${ORANG})(?: ?(?:saya|ku|nya|aku|kami))?|anak(?: (?:saya|aku|kami)|ku|nya))`,
  ].join('|')})$|(?:多少钱|价格|哪里买|推荐|[?？!！ ])$`,
  'iu',
);

const SHOP = '[\\p{L}\\p{N}_.-]{1,40}(?: (?:singapore|malaysia|indonesia))?';
const STARS = '[1-5](?:\\.\\d)?[ -]?stars(?: (?:ratings?|rated|reviews?))?';
const MEASURE = `\\d[\\d.,]*(?:[ -]?(?:in|inch|inches|cm|mm|m|kg|g|ml|l|gb|tb|mah|w|years?)(?!\\p{L})| ?["”″])`;
/** What a shopper hopes for. Few names have these words, and "murah" (cheap) is no misspelt "merah" (red). */
const PRAISE =
  '(?:good |great |best )?value for money|affordable|cheap|recommended|(?:good|best|high|top) quality|(?:is|are) (?:the )?best|' +
  '(?:yang |paling |lebih )?(?:murah|bagus|terbaik|terlaris|berbaloi|berkualit[ia]s?)|(?<!tahun )(?:yang )?baru';
const ADVERBS = '(?:(?:too|so|very|really|be|have|a|an|any) ){0,3}';

/**
 * Conditions that no parameter stands for: what a thing must not be or not come from, its stars, and limits of a size (a
 * phone under 6 inches does not have 6 inches; a power bank over 20,000 mAh may have just that). They are not searched for,
 * because words such as "not" and "under" are rarer than the product's and would outweigh them.
 */
const CONDITIONS = new RegExp(
  [
    `(?<![\\p{L}\\p{N}])(?:${[
      `(?:(?:that|which) )?(?:(?:is|are) )?(?:not|except|excluding)(?: (?:sold|available|listed))? (?:from|on|at|by|via|for) ${SHOP}`,
      `(?:that|which) (?:isn['’]t|aren['’]t|doesn['’]t|don['’]t|(?:is|are|does|do) not|not) ${ADVERBS}\\S+`,
      `(?:but|yang) (?:not|tidak|tak|bukan) (?:terlalu )?${ADVERBS}\\S+`,
      `(?:bukan|tidak|tak) (?:dari|daripada|di) ${SHOP}`,
      'not (?:currently )?(?:in|out of) stock|tidak tersedia|belum tersedia',
      `(?:rated )?${STARS}|[1-5](?:\\.\\d)?[ -]?star (?:ratings?|rated|reviews?)|rated [1-5](?:\\.\\d)?(?: stars?|(?=\\s*$))`,
      '(?:with )?(?:good|great|high|excellent) (?:reviews?|ratings?)',
      PRAISE,
      `(?:under|below|(?:less|smaller|lighter) than|(?:di ?)?bawah|kurang dari) ?${MEASURE}`,
      `(?:over|above|(?:more|larger|bigger) than|at least|at most|up to|di ?atas|lebih dari)(?= ?${MEASURE})`,
    ].join('|')})(?![\\p{L}\\p{N}])`,
    '(?:好用|耐用|实惠|划算|性价比高)的?|(?<=\\p{Script=Han}|\\s)便宜的?|新款的?',
    // 不锈 (stainless), 不粘 and 不沾 (non-stick), 不干胶 (sticker) and 不倒翁 (tumbler) name products.
    '不(?:在|来自|是来自|从) ?[a-z0-9_.-]{1,40}(?:上?[买卖]?的)?|不(?!锈|粘|沾|干胶|倒翁)要?太?\\p{Script=Han}{1,6}?的|没有?货',
  ].join('|'),
  'giu',
);

/** @param text any text; its invisible format characters do not count. */
export function readWording(text: string): Wording {
  const typed = visibleText(text);
  const phrases = [...typed.matchAll(QUOTED)]
    .slice(0, MAX_PHRASES)
    .flatMap(([, phrase = '']) => phrase.trim() || []);
  const unquoted = phrases.length === 0 ? typed : typed.replace(QUOTED, ' ').trim();
  const plain = withoutAsking(withoutConditions(unquoted));
  return { text: [plain, ...phrases].filter((part) => part !== '').join(' '), plain, phrases };
}

/**
 * The text without what `interpret` reads as parameters and without other conditions, or as it is where nothing else would
 * be left. Without `interpret=true` they are not applied, but they name no product either.
 */
function withoutConditions(text: string): string {
  const { text: unread } = interpret(text, { sources: [] });
  const left = unread.replace(CONDITIONS, ' ');
  if (left === text || !/[\p{L}\p{N}]/u.test(left)) return text;
  return left.replaceAll(/\s+/g, ' ').trim();
}

/** The text without words of asking, or as it is where nothing else would be left. */
function withoutAsking(text: string): string {
  const tidy = text.replaceAll(/\s+/g, ' ');
  let left = tidy;
  for (;;) {
    const shorter = left.replace(BEFORE, '').replace(BEHIND, '');
    if (shorter === left) return left === tidy ? text : left;
    if (!/[\p{L}\p{N}]/u.test(shorter)) return left;
    left = shorter;
  }
}
