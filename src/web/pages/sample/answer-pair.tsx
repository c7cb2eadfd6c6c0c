/** The answers of two runs to the same doc, side by side, with the words that differ marked. */
import type { SampleView, MediaRef } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { OutcomeBadge } from '../../parts/badge.js'
import { formatLine } from '../../parts/safe-text.js'
import { SafeText } from '../../parts/text.js'
import { AnswerFacts, Answered, AnswerMedia } from './answered.js'
import { Choices } from './choices.js'
import { wordDifferences, type Spans } from './word-differences.js'
import { useState } from 'preact/hooks'
import { findAddresses } from '../../parts/media/picture.js'
import { Zoom } from '../../parts/media/zoom.js'

interface AnswerPairProps {
  readonly source: Source
  readonly run: string
  readonly sample: SampleView
  readonly against: string
  readonly other: SampleView
}

/** Shows the answers of two runs to one sample side by side. */
export function AnswerPair({ source, run, sample, against, other }: AnswerPairProps) {
  const differ = wordDifferences(other.items[0]?.answer?.text ?? '', sample.items[0]?.answer?.text ?? '')
  return (
    <>
      <PicturePair
        source={source}
        sides={[
          { title: against, sample: other },
          { title: run, sample },
        ]}
      />
      <div class="pair">
        <Side source={source} title={against} sample={other} {...(differ !== undefined && { spans: differ.a })} />
        <Side source={source} title={run} sample={sample} {...(differ !== undefined && { spans: differ.b })} />
      </div>
    </>
  )
}

function Side({
  source,
  title,
  sample,
  spans,
}: {
  readonly source: Source
  readonly title: string
  readonly sample: SampleView
  readonly spans?: Spans
}) {
  const [item] = sample.items
  const answer = item?.answer
  return (
    <section class="side" aria-label={`Answer of ${formatLine(title, 80)}`}>
      <h3>
        {formatLine(title, 80)} <OutcomeBadge {...sample} />
      </h3>
      {item === undefined ? (
        <p class="dim">No request was made for this doc.</p>
      ) : item.continuation !== undefined ? (
        <Choices sample={sample} />
      ) : answer === undefined || spans === undefined ? (
        <Answered source={source} item={item} extracted={sample.extracted} />
      ) : (
        <div class="answer">
          <SafeText
            text={answer.text}
            {...(answer.length !== undefined && { length: answer.length })}
            marks={spans}
            markTitle="The other answer has other words here."
          />
          <AnswerMedia {...{ source, answer }} />
          <AnswerFacts answer={answer} />
        </div>
      )}
      {sample.items.length > 1 && item?.continuation === undefined && (
        <p class="dim">The first of {sample.items.length} answers is shown.</p>
      )}
    </section>
  )
}

interface PicturePairProps {
  readonly source: Source
  /** The samples of the two runs with the names of the runs. */
  readonly sides: readonly { readonly title: string; readonly sample: SampleView }[]
}

/** Opens the pictures of two runs side by side, each with its boxes. They are zoomed and moved together. */
function PicturePair({ source, sides }: PicturePairProps) {
  const [isOpen, setIsOpen] = useState(false)
  const pictures = sides.flatMap(({ title, sample }) => {
    const medium = findPicture(sample)
    const address = medium && findAddresses(source, medium).whole
    return address === undefined ? [] : [{ title, address, boxes: sample.boxes }]
  })
  if (pictures.length < 2) return null
  return (
    <p>
      <button type="button" onClick={() => setIsOpen(true)}>
        Compare the pictures
      </button>
      {isOpen && <Zoom pictures={pictures} close={() => setIsOpen(false)} />}
    </p>
  )
}

function findPicture({ items }: SampleView): MediaRef | undefined {
  for (const { parts } of items[0]?.messages ?? [])
    for (const part of parts) if (part.type === 'image') return part.medium
  return undefined
}
