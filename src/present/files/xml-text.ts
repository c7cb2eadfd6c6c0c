/** XML 1.0 can't contain these characters, not even as references. */
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const reference = (character: string): string =>
  names[character] ?? `&#x${(character.codePointAt(0) ?? 0).toString(16)};`

/** Escapes a text as XML content. Forbidden characters are removed. Characters that act on a terminal or that parsers normalise become references. */
export const xmlText = (text: string): string =>
  text.replace(forbidden, '').replace(/[&<>"\r\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, reference)

type Attribute = string | number

/** Attributes with a space before each. A parser would read line breaks and tabs in them as spaces. */
export const xmlAttributes = (attributes: Readonly<Record<string, Attribute>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${xmlText(String(value)).replace(/[\t\n]/g, reference)}"`)
    .join('')
