import { z } from 'zod'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import type { ResponseBody } from '../../../cache/records.js'
import { codePointCount } from './code-points.js'
import { answerMarks, lmmsReasoningTags, reasoningFamilies, wordTags, type ReasoningTag } from './reasoning-families.js'

export type { ReasoningTag } from './reasoning-families.js'

export const reasoningTags = z.array(z.tuple([z.string().min(1), z.string().min(1)])).readonly()

/** The tags that are removed unless a task sets others: those of all families of models that leave them in the text. */
export const defaultReasoningTags: readonly [string, string][] = reasoningFamilies.flatMap(({ tags }) =>
  tags.map(([start, end]): [string, string] => [start, end]),
)

/**
 * Removes the reasoning from a text. Each start tag is removed up to the next end tag. If an end tag has no start
 * tag, everything before it is removed, since the prompt held the start. A start tag without an end stays: the
 * answer was cut off in it. Marks that a family of models writes around the answer behind its reasoning are removed with it.
 * White space at both ends is removed.
 *
 * Source: the rule of lmms-eval's `api/reasoning.py`.
 */
export function stripReasoning(text: string, tags: readonly ReasoningTag[]): string {
  let rest = text
  for (const [start, end] of tags) {
    if (!rest.includes(end) || !mayBegin(rest, start)) continue
    rest = withoutPairs(rest, start, end)
    if (!rest.includes(start)) rest = rest.slice(afterLast(rest, end))
    for (const mark of answerMarks.get(end) ?? []) rest = rest.replaceAll(mark, '')
  }
  return stripWhiteSpace(rest)
}

/** Returns whether {@link stripReasoning} would remove anything. */
export const hasReasoning = (text: string, tags: readonly ReasoningTag[]): boolean =>
  tags.some(([start, end]) => text.includes(end) && mayBegin(text, start))

/** A tag that is a word is one only at the start of an answer. */
const mayBegin = (text: string, start: string): boolean =>
  !wordTags.has(start) || stripWhiteSpace(text).startsWith(start)

/** The same with the tags of lmms-eval, where none but the usual ones are set. A text without reasoning keeps its white space. */
export function stripAsLmmsEval(text: string, set: readonly ReasoningTag[]): string {
  const tags = set === defaultReasoningTags ? lmmsReasoningTags : set
  return hasReasoning(text, tags) ? stripReasoning(text, tags) : text
}

/**
 * The answer without its reasoning. If the token limit cut the answer off inside the reasoning, the unfinished
 * reasoning is removed too. So is reasoning that begins an answer without an end, if nothing says why the answer ended.
 */
export function spokenText({ text, finishReason }: ResponseBody, tags: readonly ReasoningTag[]): string {
  const rest = hasReasoning(text, tags) ? stripReasoning(text, tags) : text
  const isCut = (at: number): boolean =>
    finishReason === 'length' || (finishReason === 'unknown' && stripWhiteSpace(rest.slice(0, at)) === '')
  const starts = tags
    .filter(([start]) => !wordTags.has(start) || beginsWithWord(rest, start))
    .map(([start]) => rest.indexOf(start))
    .filter(at => at >= 0 && isCut(at))
  return starts.length === 0 ? rest : rest.slice(0, Math.min(...starts))
}

/** Returns whether a text begins with the word of a tag, and not with that word of a sentence: "analysisWe need …". */
const beginsWithWord = (text: string, start: string): boolean =>
  stripWhiteSpace(text).startsWith(start) &&
  (start.includes(' ') || /^\p{Lu}/u.test(stripWhiteSpace(text).slice(start.length)))

/** Returns whether a text starts within reasoning that it does not end. */
export const beginsInReasoning = (text: string, tags: readonly ReasoningTag[]): boolean =>
  tags.some(([start]) => (wordTags.has(start) ? beginsWithWord(text, start) : text.startsWith(start)))

/**
 * The number of characters of reasoning: reasoning that the server returned separately, and text between tags with
 * the tags.
 */
export function reasoningLength(body: ResponseBody, tags: readonly ReasoningTag[]): number {
  const apart = body.reasoning === undefined ? 0 : codePointCount(body.reasoning)
  const isTagged = tags.some(
    ([start, end]) => body.text.includes(end) || (body.text.includes(start) && mayBegin(body.text, start)),
  )
  if (!isTagged) return apart
  return apart + codePointCount(stripWhiteSpace(body.text)) - codePointCount(stripWhiteSpace(spokenText(body, tags)))
}

function withoutPairs(text: string, start: string, end: string): string {
  let rest = text
  for (;;) {
    const from = rest.indexOf(start)
    const to = from < 0 ? -1 : rest.indexOf(end, from + start.length)
    if (to < 0) return rest
    rest = rest.slice(0, from) + rest.slice(to + end.length)
  }
}

function afterLast(text: string, end: string): number {
  const at = text.lastIndexOf(end)
  return at < 0 ? 0 : at + end.length
}
