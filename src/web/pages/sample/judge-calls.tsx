import type { JudgeCall } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { formatLine } from '../../parts/safe-text.js'
import { Answered } from './answered.js'
import { Chat } from './chat.js'

interface JudgeCallsProps {
  readonly source: Source
  readonly calls: readonly JudgeCall[]
}

/** Shows the requests to judge models about the answer, and their verdicts. */
export function JudgeCalls({ source, calls }: JudgeCallsProps) {
  if (calls.length === 0) return null
  return (
    <section aria-label="Judge model">
      <h2>Judge model</h2>
      {calls.map((call, index) => (
        <div key={index} class="judge-call">
          <details>
            <summary>Prompt to {formatLine(call.model, 80)}</summary>
            <Chat source={source} messages={call.messages} boxes={[]} />
          </details>
          <h3>Verdict</h3>
          <Answered item={call} extracted={[]} />
        </div>
      ))}
    </section>
  )
}
