/**
 * Matches a character that bytes of another encoding hardly ever form by chance, unlike those whose UTF-8 begins with an accented
 * capital letter of the encodings for Europe: `NESCAFÉ®` of windows-1252 is valid UTF-8 for `NESCAFɮ`.
 */
const COMMON_CHARACTER = /[^\0-\x9f\u0180-\u0217\u021c-\u036f\u0460-\u048f\u0492-\u05cf\u0700-\u07ff\ufffd]/u;

/** The position of the first character of a decoded text which shows that the text is indeed UTF-8; -1 if there is none. */
export const findUtf8 = (decoded: string): number => decoded.search(COMMON_CHARACTER);

/** The characters from 0x80 of windows-1252, in which the UTF-8 of `ü` is `Ã¼`, and windows-1250 (`Ă¼`). A dot: no character. */
const MISTAKEN = [
  '€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ\xa0¡¢£¤¥¦§¨©ª«¬\xad®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ',
  '€.‚.„…†‡.‰Š‹ŚŤŽŹ.‘’“”•–—.™š›śťžź\xa0ˇ˘Ł¤Ą¦§¨©Ş«¬\xad®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙',
];

/** Matches UTF-8 that was decoded as one of these encodings: the first byte of a character, and the next one. */
const SUSPECT = /[ÂÃÄÅÎÏÐÑ×ØÙâãäåæçèéĂĹĐŃăĺćč][^\0-\x7f]/;

/** Whether all characters of a text are UTF-8 that was decoded as another encoding, such as `KÃ¼che`, but not `MAÇÃ®`. */
export function isMojibake(text: string): boolean {
  if (!SUSPECT.test(text)) return false;
  return MISTAKEN.some((characters) => {
    const bytes = Uint8Array.from(text, (character) => {
      if (character < '\x80') return character.charCodeAt(0);
      const at = characters.indexOf(character);
      if (at >= 0) return 0x80 + at;
      // Programs that decode bytes without a character keep them as control characters.
      return character <= '\x9f' ? character.charCodeAt(0) : 0xff;
    });
    try {
      return findUtf8(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) >= 0;
    } catch {
      return false;
    }
  });
}
