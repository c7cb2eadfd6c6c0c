import type { AgreementTest, DocOrder } from '../../../cache/store.js'

/** The kinds of docs that a list of several runs knows. The browser shares this file, so it imports only types. */
export const docKinds = ['all', 'disagree', 'all-right', 'all-wrong', 'unscored'] as const
export type DocKind = (typeof docKinds)[number]

/** The orders of that list. */
export const docOrders = ['disagreement', 'doc', 'hardest'] as const satisfies readonly DocOrder[]
export type { DocOrder }

/** The maximum number of runs that are shown side by side. */
export const mostRuns = 20

const kinds: Readonly<Record<DocKind, AgreementTest['passes']>> = {
  all: () => true,
  disagree: ({ disagreement }) => disagreement !== null && disagreement > 0,
  'all-right': ({ runs, right }) => right === runs,
  'all-wrong': ({ runs, wrong }) => wrong === runs,
  // A run failed on the doc, does not have it, or has not scored it yet.
  unscored: ({ runs, right, wrong }) => right + wrong < runs,
}

/** The test of a kind, for the index of samples. */
export const docKindTest = (kind: DocKind): AgreementTest => ({ name: kind, passes: kinds[kind] })
