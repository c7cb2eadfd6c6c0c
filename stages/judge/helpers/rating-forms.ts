/** Writes the forms in which judge models give a rating in those that `ratings.ts` reads. */

/** A scale that is named before the rating or beside it, with what its ends mean. */
const scales = [
  'on (?:a|the) (?:scale|range) (?:of|from) N (?:to|-|–|through) N',
  'auf einer skala von N bis N|sur une échelle de N à N|en una escala de(?:l)? N al? N|numa escala de N a N|su una scala da N a N|op een schaal van N tot N|på en skala från N till N|w skali od N do N|по (?:\\p{L}+ )?шкале от N до N|за шкалою від N до N',
  '在N[到至-]N(?:分)?(?:的)?(?:量表|范围|评分)?(?:上|中|内|里)?|N(?:から|〜|～|-)N(?:の)?(?:段階|スケール)(?:で)?|N(?:점)?(?:에서|부터|~|-) ?N(?:점)?(?:까지)?(?:의)? ?(?:척도|범위)(?:에서|로)?',
].join('|')
const scale = new RegExp(`(?:${scales})(?!\\p{L}{3})`.replaceAll(' ', '\\s+').replaceAll('N', '\\d{1,3}'), 'giu')
const end = /[,(]?\s*(?:with|where)\s+\d{1,3}\s+(?:being|is|as|means|meaning|=)\s+[^,.;)\n]{1,40}[,)]?/giu
const highest = /\s*\((?:the )?(?:max(?:imum|\.)?|highest)(?: possible)?(?: score| rating| points)?\)/giu
const box = /\\boxed\s?\{([^{}\n]{1,40})\}/g
const calculation = /^[\s\d.+−–×*()-]{1,80}=\s*(?=[\d.]+[\s.*]*$)/u

/** A reply in plainer forms. */
export interface PlainReply {
  readonly text: string
  /** Set if the reply names the scale, so that its only number may be the rating. */
  readonly hasScale: boolean
}

/** Leaves out the scale that a reply names, and what its ends mean, and writes `\boxed{8}` as a rating. */
export function plainReply(reply: string): PlainReply {
  const text = reply.replace(scale, ' ').replace(end, ' ')
  const rest = text.replace(highest, '').replace(box, '\nScore: $1\n').replace(calculation, '')
  return { text: rest, hasScale: text !== reply }
}

/** The rating that a reply without numbers shows in stars: ★★★☆☆ is 3 of 5. Without empty stars the scale is at most 5. */
export function countStars(text: string, high: number): { readonly value: number; readonly of: number } | undefined {
  const [run, ...more] = text.match(/[⭐★🌟][⭐★🌟☆✩\ufe0f]*/gu) ?? []
  if (run === undefined || more.length > 0) return undefined
  const value = (run.match(/[⭐★🌟]/gu) ?? []).length
  const empty = (run.match(/[☆✩]/gu) ?? []).length
  return empty > 0 ? { value, of: value + empty } : high <= 5 ? { value, of: high } : undefined
}

const denial =
  "(?:not(?: an?)?|isn[’']t(?: an?)?|nicht|keine?|(?:n[’']est )?pas(?: un)?|no(?: es)?(?: un)?|não(?: é)?|non(?: è)?|niet|inte|nie|не|不是|ではなく|ليس)"
/** The words before a number without a denial at their end: "The rating is not 7" has the label "The rating is". */
export const withoutDenial = (ahead: string): string => ahead.replace(new RegExp(`${denial}\\s*$`, 'iu'), '')

/** Words and signs between a rating that is taken back and the one that holds. */
export const takesBack =
  /^[\s*_"'.,;!()]*(?:→|->|=>|⇒)\s*[*_]*$|(?<!\p{L})(?:actually|correction|on (?:second thought|reflection)|wait|i meant|revis(?:ed|ing)|make (?:it|that)|let me (?:correct|reconsider)|nein|korrektur|moment|besser|en fait|je corrige|corrección|mejor dicho|perdón|correção|na verdade|correzione|anzi|поправка|вернее|точнее|更正|修正|应为|訂正|정정)(?!\p{Ll})/iu

/** An answer of no to a rating that was asked for: "Is it a 9? No: 5." */
export const negates = /^\s*\?\s*(?:no|nein|non|não|нет|不|いいえ|아니요)[\s,:.;!，：。]/iu
