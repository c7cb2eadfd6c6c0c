/** Shows and edits labels of the answer. */
import type { Mark } from '../../../present/page/data/index.js'
import { labelNames } from '../../data/labels.js'
import { dateTime } from '../../../../base/text/numbers.js'
import { formatLine } from '../../parts/safe-text.js'
import { SafeText } from '../../parts/text.js'
import { MarkBadge } from '../samples/list-columns.js'
import { labelKeys } from '../samples/use-list-keys.js'

interface LabelsProps {
  readonly marks: readonly Mark[]
  readonly label?: (label: Mark['label']) => void
  readonly note?: () => void
}

/** Shows the labels of an answer and the buttons that set them. */
export function Labels({ marks, label, note }: LabelsProps) {
  if (label === undefined && marks.length === 0) return null
  return (
    <section>
      <h2>Human label</h2>
      {label !== undefined && (
        <div class="label-buttons" role="group" aria-label="Label the answer">
          {Object.entries(labelKeys).map(([key, name]) => (
            <button key={name} type="button" onClick={() => label(name)} aria-keyshortcuts={key}>
              {labelNames[name]} <kbd aria-hidden="true">{key}</kbd>
            </button>
          ))}
          <button type="button" onClick={note} aria-keyshortcuts="n">
            With a note <kbd aria-hidden="true">n</kbd>
          </button>
        </div>
      )}
      {marks.length === 0 ? (
        <p class="dim">Nobody has labelled this answer.</p>
      ) : (
        <ul class="marks">
          {marks.map(mark => (
            <li key={`${mark.author} ${mark.at}`}>
              <MarkBadge label={mark.label} /> {formatLine(mark.author, 80)}{' '}
              <span class="dim">{dateTime(mark.at)}</span>
              {mark.note !== undefined && mark.note !== '' && <SafeText text={mark.note} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
