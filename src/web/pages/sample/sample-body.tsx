import type { ItemView, Mark, SampleView } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { JsonText, SafeText } from '../../parts/text.js'
import { AnswerPair } from './answer-pair.js'
import { Chat } from './chat.js'
import { Choices } from './choices.js'
import { Answered } from './answered.js'
import { JudgeCalls } from './judge-calls.js'
import { KeyDetails } from './key-details.js'
import { Labels } from './labels.js'
import { OtherRuns } from './other-runs.js'
import { TurnTree } from './turn-tree.js'
import { Extraction, Groups, Values } from './scoring.js'

interface SampleBodyProps {
  readonly source: Source
  readonly run: string
  readonly sample: SampleView
  readonly against?: string
  readonly other?: SampleView
  readonly label?: (label: Mark['label']) => void
  readonly note?: () => void
}

/** More requests of one doc are folded. */
const openItems = 4

/** Shows a sample: prompt, answers, scores and labels. */
export function SampleBody({ source, run, sample, against, other, label, note }: SampleBodyProps) {
  const isChoices = sample.items.length > 1 && sample.items.every(({ continuation }) => continuation !== undefined)
  const [first] = sample.items
  const hasPair = against !== undefined && other !== undefined
  return (
    <div class="sample-body">
      <div class="sample-main">
        {first !== undefined && (
          <section aria-label="Prompt">
            <h2>Prompt</h2>
            <Chat {...{ source, messages: first.messages, boxes: sample.boxes }} />
            {first.tools !== undefined && first.tools.length > 0 && (
              <details>
                <summary>{first.tools.length} tools were offered</summary>
                <JsonText value={first.tools} />
              </details>
            )}
          </section>
        )}
        <section aria-label="Answer">
          <h2>{answerTitle(sample, isChoices)}</h2>
          {hasPair ? (
            <AnswerPair {...{ source, run, sample, against, other }} />
          ) : isChoices ? (
            <Choices sample={sample} />
          ) : (
            sample.items.map((item, index) => (
              <Item
                key={index}
                {...{ source, sample, item }}
                isOpen={index < openItems}
                isAlone={sample.items.length === 1}
              />
            ))
          )}
          {sample.items.length === 0 && <p class="dim">No request was made for this doc.</p>}
        </section>
        <OtherRuns {...{ source, run, task: sample.task, index: sample.index, taskName: sample.taskName }} />
        <JudgeCalls source={source} calls={sample.judgeCalls} />
      </div>
      <aside class="sample-side" aria-label="Scoring">
        <section>
          <h2>Target</h2>
          <TargetText sample={sample} />
        </section>
        <Values {...{ sample }} {...(hasPair && { other, against })} />
        <Extraction sample={sample} />
        {sample.reason !== undefined && (
          <section>
            <h2>Reason</h2>
            <SafeText text={sample.reason} />
          </section>
        )}
        <Labels marks={sample.marks} {...(label !== undefined && { label })} {...(note !== undefined && { note })} />
        <Groups groups={sample.groups} />
        <KeyDetails {...{ source, run, items: sample.items }} />
        <details>
          <summary>Doc as JSON</summary>
          <JsonText value={sample.doc} />
        </details>
      </aside>
    </div>
  )
}

const answerTitle = ({ items }: SampleView, isChoices: boolean): string =>
  isChoices ? 'Choices' : items.length > 1 ? `Answers (${items.length})` : 'Answer'

interface ItemProps {
  readonly source: Source
  readonly sample: SampleView
  readonly item: ItemView
  readonly isOpen: boolean
  readonly isAlone: boolean
}

/** Shows one request. Rounds of a conversation are shown before the last answer. */
function Item({ source, sample, item, isOpen, isAlone }: ItemProps) {
  const body = (
    <>
      {item.transcript.length > 0 && <TurnTree source={source} messages={item.transcript} />}
      {item.continuation !== undefined && <SafeText class="continuation" text={item.continuation} />}
      <Answered source={source} item={item} extracted={isAlone ? sample.extracted : []} />
    </>
  )
  if (isAlone) return body
  return (
    <details class="item" open={isOpen}>
      <summary>
        {item.choice > 0 ? `Request ${item.choice + 1}, sample ${item.sample + 1}` : `Sample ${item.sample + 1}`}
      </summary>
      {body}
    </details>
  )
}

function TargetText({ sample: { target, choices } }: { readonly sample: SampleView }) {
  if (choices === undefined || choices.length === 0)
    return typeof target === 'string' ? <SafeText text={target} /> : <JsonText value={target} />
  return (
    <ol class="target-choices" start={0}>
      {choices.map((choice, index) => {
        const isTarget = target === index || target === choice
        return (
          <li key={index} class={isTarget ? 'is-target' : ''}>
            <SafeText text={choice} />
            {isTarget && <span class="dim">target</span>}
          </li>
        )
      })}
    </ol>
  )
}
