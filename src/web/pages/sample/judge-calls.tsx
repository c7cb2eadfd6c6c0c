import type { JudgeCall } from '../../../views/page-data/index.js'
import type { Source } from '../../data/source.js'
import { lineOf } from '../../parts/safe-text.js'
import { Answered } from './answered.js'
import { Chat } from './chat.js'

interface JudgeCallsProps {
  readonly source: Source
  readonly calls: readonly JudgeCall[]
}

/** What judge models were asked about the answer, and their verdicts. */
export function JudgeCalls({ source, calls }: JudgeCallsProps) {
  if (calls.length === 0) return null
  return (
    <section aria-label="Judge model">
      <h2>Judge model</h2>
      {calls.map((call, place) => (
        <div key={place} class="judge-call">
          <details>
            <summary>Prompt to {lineOf(call.model, 80)}</summary>
            <Chat source={source} messages={call.messages} boxes={[]} />
          </details>
          <h3>Verdict</h3>
          <Answered item={call} extracted={[]} />
        </div>
      ))}
    </section>
  )
}
