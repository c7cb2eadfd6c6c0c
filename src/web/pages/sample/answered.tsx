/** Shows one answer of a model, or the reason why there is none. */
import type { AnswerView, ItemView, SampleView } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { Medium } from '../../parts/media/medium.js'
import { Badge } from '../../parts/badge.js'
import { dateTime, formatCount, shortTime } from '../../../../base/text/numbers.js'
import { formatLine, visibleText } from '../../parts/safe-text.js'
import { SafeText } from '../../parts/text.js'

interface AnsweredProps {
  readonly source: Source
  readonly item: Pick<ItemView, 'answer' | 'failure'>
  readonly extracted: SampleView['extracted']
}

/** Shows an answer with the extracted texts marked, or its failure. */
export function Answered({ source, item: { answer, failure }, extracted }: AnsweredProps) {
  if (failure !== undefined)
    return (
      <div class="answer is-failed">
        <p>
          <Badge tone="bad" text={failure.class.replaceAll('_', ' ')} /> The request failed after{' '}
          {formatCount(failure.attempts)} {failure.attempts === 1 ? 'attempt' : 'attempts'}.
        </p>
        <SafeText text={failure.message} />
      </div>
    )
  if (answer === undefined) return <p class="dim">The request has no answer yet.</p>
  return (
    <div class="answer">
      {answer.reasoning !== undefined && answer.reasoning !== '' && (
        <details class="reasoning">
          <summary>Reasoning ({formatCount(answer.reasoning.length)} characters)</summary>
          <SafeText text={answer.reasoning} />
        </details>
      )}
      <SafeText
        text={answer.text}
        {...(answer.length !== undefined && { length: answer.length })}
        marks={extracted.flatMap(({ spans }) => spans)}
        markTitle="A filter read this out of the answer."
      />
      <AnswerMedia {...{ source, answer }} />
      <AnswerFacts answer={answer} />
    </div>
  )
}

/** Shows the media that the model made. */
export const AnswerMedia = ({ source, answer }: { readonly source: Source; readonly answer: AnswerView }) => (
  <>
    {answer.media?.map((part, index) => (
      <Medium key={index} {...{ source, part }} />
    ))}
  </>
)

/** Shows tokens, times and the finish reason of an answer. */
export function AnswerFacts({ answer }: { readonly answer: AnswerView }) {
  const { usage, finishReason, durationMs, firstTokenMs, queueMs, attempts, answeredAt, isFromStore, logprob } = answer
  const facts: (readonly [string, string])[] = [
    ['Finish reason', formatLine(finishReason, 60)],
    ['Duration', durationMs === undefined ? 'unknown' : shortTime(durationMs)],
  ]
  const add = (name: string, value: number | undefined, text: (number: number) => string): void => {
    if (value !== undefined) facts.push([name, text(value)])
  }
  add('First token', firstTokenMs, shortTime)
  add('Queue', queueMs, shortTime)
  add('Input tokens', usage?.inputTokens, formatCount)
  add('Output tokens', usage?.outputTokens, formatCount)
  add('Reasoning tokens', usage?.reasoningTokens, formatCount)
  add('Cached tokens', usage?.cachedTokens, formatCount)
  add('Log probability', logprob, value => value.toFixed(3))
  add('Attempts', attempts > 1 ? attempts : undefined, formatCount)
  facts.push(['Answered', `${dateTime(answeredAt)}${isFromStore ? ', by an earlier run' : ''}`])
  return (
    <dl class="facts">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{visibleText(text)}</dd>
        </div>
      ))}
    </dl>
  )
}
