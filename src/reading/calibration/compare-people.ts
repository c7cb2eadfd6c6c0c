/** Compares the labels of people with each other and with a judge. */
import { PipelineError } from '../../../base/errors/errors.js'
import { computeKappa } from '../../../stages/judge/statistics/agreement/cohen.js'

/** The labels of one person, and how far the judge agrees with them. */
export interface PersonLabels {
  readonly author: string
  readonly right: number
  readonly wrong: number
  readonly unclear: number
  /** The share of docs on which the judge agrees, among docs that the person labelled right or wrong. Null without such a doc. */
  readonly agreement: number | null
  /** Cohen's kappa with the judge; null if it is undefined. */
  readonly kappa: number | null
}

/** The agreement of two people on the docs that both call right or wrong. */
export interface PeoplePair {
  readonly authors: readonly [string, string]
  readonly docs: number
  readonly agreement: number
  /** Cohen's kappa; null if it is undefined. */
  readonly kappa: number | null
}

/** The opinion of one person about an answer. */
export interface AuthorLabel {
  readonly author: string
  readonly label: 'right' | 'wrong' | 'unclear'
}

/** A doc with the judge's value, and the labels of people. */
export interface JudgedDoc {
  readonly value: number
  readonly isRight: boolean
  readonly labels: readonly AuthorLabel[]
}

type LabelValue = AuthorLabel['label'] | undefined

export const findLabel = ({ labels }: JudgedDoc, author: string): LabelValue =>
  labels.find(authorLabel => authorLabel.author === author)?.label

export function listAuthors(docs: readonly JudgedDoc[]): readonly string[] {
  return [...new Set(docs.flatMap(({ labels }) => labels.map(({ author }) => author)))].sort()
}

export function listPeople(docs: readonly JudgedDoc[]): readonly PersonLabels[] {
  const people = listAuthors(docs).map((author): PersonLabels => {
    const labels = docs.map(doc => findLabel(doc, author))
    const count = (label: LabelValue): number => labels.filter(value => value === label).length
    const judged = docs.map(({ isRight }): LabelValue => (isRight ? 'right' : 'wrong'))
    const { agreement, kappa } = compareRatings(labels, judged)
    return { author, right: count('right'), wrong: count('wrong'), unclear: count('unclear'), agreement, kappa }
  })
  const countAll = ({ right, wrong, unclear }: PersonLabels): number => right + wrong + unclear
  return people.sort((a, b) => countAll(b) - countAll(a))
}

export function listPairs(docs: readonly JudgedDoc[]): readonly PeoplePair[] {
  const authors = listAuthors(docs)
  return authors.flatMap((first, at) =>
    authors.slice(at + 1).flatMap((second): readonly PeoplePair[] => {
      const [a, b] = [first, second].map(author => docs.map(doc => findLabel(doc, author))) as [
        LabelValue[],
        LabelValue[],
      ]
      const { docs: both, agreement, kappa } = compareRatings(a, b)
      return agreement === null ? [] : [{ authors: [first, second], docs: both, agreement, kappa }]
    }),
  )
}

/** Compares two lists of ratings of the same docs, where both call the doc right or wrong. */
function compareRatings(
  a: readonly LabelValue[],
  b: readonly LabelValue[],
): { readonly docs: number; readonly agreement: number | null; readonly kappa: number | null } {
  const both = a.flatMap((said, at): readonly (readonly [boolean, boolean])[] => {
    const other = b[at]
    const areRatings = said !== undefined && other !== undefined && said !== 'unclear' && other !== 'unclear'
    return areRatings ? [[said === 'right', other === 'right']] : []
  })
  if (both.length === 0) return { docs: 0, agreement: null, kappa: null }
  const kappa = tryStatistic(() =>
    computeKappa(
      both.map(([said]) => said),
      both.map(([, other]) => other),
      { labels: [true, false] },
    ),
  )
  const agreeing = both.filter(([said, other]) => said === other).length
  return { docs: both.length, agreement: agreeing / both.length, kappa: kappa?.kappa ?? null }
}

/** Returns null for a statistic that these labels do not define. */
export function tryStatistic<Result>(compute: () => Result): Result | null {
  try {
    return compute()
  } catch (error) {
    if (error instanceof PipelineError) return null
    throw error
  }
}
