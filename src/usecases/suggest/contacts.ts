/** The ends of host names that occur in advertisements; other words after a point are parts of names, such as `Dr.Martens`. */
const TOP_LEVEL =
  'com|net|org|info|biz|shop|store|online|site|website|xyz|club|app|dev|io|co|me|top|vip|icu|cc|tv|ly|link|click|live|' +
  'example|test|invalid|' +
  'xn--[a-z\\d-]{2,30}|рф|中国|' +
  'de|at|ch|uk|ie|fr|be|nl|es|pt|it|pl|cz|sk|hu|ro|bg|hr|si|gr|dk|se|fi|ee|lt|lv|ua|ru|tr|il|ae|in|pk|lk|cn|hk|tw|jp|kr|sg|my|id|ph|th|vn|au|nz|br|mx|ar|cl|ca|us|eu|za|ng';
const HOST = `(?:[\\p{L}\\p{N}-]+\\.)*(?=[\\p{N}-]*\\p{L})[\\p{L}\\p{N}-]{3,63}\\.(?:${TOP_LEVEL})`;

/** The digit zero of each script in which telephone numbers occur. The code points of the other digits follow it. */
const ZEROS = Array.from('0٠۰०০੦૦๐໐', (zero) => zero.charCodeAt(0));

function asciiDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  const zero = ZEROS.findLast((one) => one <= code) ?? code;
  return code - zero < 10 ? String(code - zero) : digit;
}

/** A point of a web address in brackets, which programs do not recognize as an address: `lamps[.]example`. */
const BRACKETED_POINT = / ?[([{] ?(?:\.|dot) ?[)\]}] ?/giu;

/** A point of a web address as a word or with blanks: `lamps dot com`. Only these host endings count, unlike "polka dot shop". */
const SPOKEN_POINT =
  /(?<=[\p{L}\p{N}]) (?:(?:point|\.) ?(?=com(?![\p{L}\p{N}]))|(?:d[o0]t|punkt|punto|ponto) (?=(?:com|net|org|info|biz|xyz)(?![\p{L}\p{N}])))/giu;

const PATTERNS = [
  /[\p{L}\p{N}._%+-]@[\p{L}\p{N}-]+\.\p{L}/u,
  /(?:h[tx]{2}ps?|ftp):\/\/|\bwww[. ][\p{L}\p{N}]/iu,
  new RegExp(`(?<![\\p{L}\\p{N}.-])${HOST}(?![\\p{L}\\p{N}-])`, 'iu'),
  // A name of one or two characters, such as `t.me`, is a host only if a path follows.
  /(?<![\p{L}\p{N}.-])[\p{L}\p{N}]{1,2}\.\p{L}{2,4}\/\p{L}/iu,
  /(?<![\p{L}\p{N}.])\d{1,3}(?:\.\d{1,3}){3}[/:][\p{L}\p{N}]/iu,
  /(?:\+|\b00)[1-9](?:[ ()./-]{0,2}\d){7,14}\b/u,
  /(?<![\p{L}\p{N}])\(?0\d{1,4}\)?(?:[ ./-]{1,2}\d{2,5}){2,4}(?![\p{L}\p{N}])/u,
  /(?<![\p{L}\p{N}])(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\p{L}\p{N}])/u,
  /(?:tel|phone|call|mobile|hotline|whats ?app|viber|telegram|wechat|微信|电话|電話)\W{0,3}\d(?:[ ()./-]?\d){5,14}/iu,
];

/** Whether a text of a few hundred characters states a web or e-mail address or a telephone number. It takes linear time. */
export function statesContact(text: string): boolean {
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(BRACKETED_POINT, '.')
    .replace(SPOKEN_POINT, '.');
  return PATTERNS.some((pattern) => pattern.test(plain));
}
