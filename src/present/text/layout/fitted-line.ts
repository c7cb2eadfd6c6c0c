import { displayWidth } from './width.js'

/** A part of a line. A part with a short form is shortened when the others are left out, and left out last. */
export type Fact = string | { readonly text: string; readonly short: string }

/** Joins facts behind the start of a line. On a narrow screen the last facts are left out, so that the line does not wrap. */
export function fittedLine(start: string, facts: readonly Fact[], columns: number): string {
  const fits = (texts: readonly string[]): boolean => displayWidth(joinTexts(start, texts)) <= columns
  let remainingFacts = facts
  for (;;) {
    const texts = [remainingFacts.map(formatFact), remainingFacts.map(shortenFact)].find(fits)
    if (texts !== undefined || remainingFacts.length === 0) return joinTexts(start, texts ?? [])
    const last = remainingFacts.findLastIndex(fact => typeof fact === 'string')
    remainingFacts = remainingFacts.filter((_, index) => index !== (last === -1 ? remainingFacts.length - 1 : last))
  }
}

const joinTexts = (start: string, texts: readonly string[]): string => [start, ...texts].join('   ')

const formatFact = (fact: Fact): string => (typeof fact === 'string' ? fact : fact.text)

const shortenFact = (fact: Fact): string => (typeof fact === 'string' ? fact : fact.short)
