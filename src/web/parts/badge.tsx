/** Shows states and outcomes as badges. Colours only repeat the word. */
import type { ComparedMetricView, RunState, SampleRow } from '../../present/page/data/index.js'

/** The colours of a badge. */
export type Tone = 'good' | 'bad' | 'warn' | 'accent' | 'plain'

/** Shows a short text on a coloured ground. */
export function Badge({ tone, text, title }: { readonly tone: Tone; readonly text: string; readonly title?: string }) {
  return (
    <span class={`badge is-${tone}`} title={title}>
      {text}
    </span>
  )
}

const states: Readonly<Record<RunState, Tone>> = {
  running: 'accent',
  complete: 'good',
  incomplete: 'warn',
  'not judged': 'plain',
}

/** Shows the state of a run as a badge. */
export const StateBadge = ({ state }: { readonly state: RunState }) => <Badge tone={states[state]} text={state} />

/** Shows the outcome of a sample: `right` or `wrong` if its value decides that. */
export function OutcomeBadge({ outcome, isRight }: Pick<SampleRow, 'outcome' | 'isRight'>) {
  switch (outcome) {
    case 'scored':
      if (isRight === null) return <Badge tone="plain" text="scored" />
      return isRight ? <Badge tone="good" text="right" /> : <Badge tone="bad" text="wrong" />
    case 'unparsed':
      return <Badge tone="warn" text="unparsed" title="No filter found an answer in the text." />
    case 'judge_failed':
      return <Badge tone="warn" text="judge failed" title="The judge model gave no verdict." />
    case 'error':
      return <Badge tone="bad" text="error" title="The scoring code failed." />
    case 'failed':
      return <Badge tone="bad" text="failed" title="The request has no answer." />
    case 'pending':
      return <Badge tone="plain" text="pending" title="The request is not answered, or the answer is not scored yet." />
  }
}

const verdicts: Readonly<Record<ComparedMetricView['verdict'], Tone>> = {
  better: 'good',
  worse: 'bad',
  equivalent: 'plain',
  same: 'plain',
  undecided: 'plain',
}

/** Shows the verdict of a comparison as a badge. */
export const VerdictBadge = ({ verdict }: Pick<ComparedMetricView, 'verdict'>) => (
  <Badge tone={verdicts[verdict]} text={verdict === 'same' ? 'no doc differs' : verdict} />
)
