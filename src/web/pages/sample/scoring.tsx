/** Shows how the score was computed: the filters' results, the values, the labels of the doc. */
import type { SampleView } from '../../../present/page/data/index.js'
import { formatLine, visibleText } from '../../parts/safe-text.js'
import { JsonText, SafeText } from '../../parts/text.js'
import { valueText } from '../samples/list-columns.js'

type Json = SampleView['target']

/** Shows the text that each filter extracted. */
export function Extraction({ sample: { extracted } }: { readonly sample: SampleView }) {
  if (extracted.length === 0) return null
  return (
    <section>
      <h2>Extracted answer</h2>
      <dl class="pairs">
        {extracted.map(({ filter, value, spans, reason }) => (
          <div key={filter}>
            <dt>{filter === 'none' ? 'without a filter' : formatLine(filter, 60)}</dt>
            <dd>
              {reason === undefined ? <JsonValue value={value} /> : visibleText(reason)}
              {spans.length === 0 && value !== null && reason === undefined && (
                <span class="dim"> (not literally in the answer)</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

interface ValuesProps {
  readonly sample: SampleView
  readonly other?: SampleView
  readonly against?: string
}

/** Shows the values of metrics, beside the values of another run. */
export function Values({ sample: { values }, other, against }: ValuesProps) {
  const names = Object.keys(values)
  if (names.length === 0) return null
  return (
    <section>
      <h2>Values</h2>
      <dl class="pairs">
        {names.map(name => (
          <div key={name}>
            <dt>{formatLine(name, 60)}</dt>
            <dd>
              <JsonValue value={values[name] ?? null} />
              {other !== undefined && against !== undefined && (
                <span class="dim">
                  {' '}
                  ({formatLine(against, 40)}: <JsonValue value={other.values[name] ?? null} />)
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function JsonValue({ value }: { readonly value: Json }) {
  if (value === null) return <span class="dim">nothing</span>
  if (typeof value === 'number') return <span>{valueText(value)}</span>
  if (typeof value === 'string')
    return value.length > 200 ? <SafeText text={value} /> : <span dir="auto">{formatLine(value) || '(empty)'}</span>
  const text = JSON.stringify(value)
  return text.length > 200 ? <JsonText value={value} /> : <code>{formatLine(text)}</code>
}

/** Shows the labels of the doc. */
export function Groups({ groups }: Pick<SampleView, 'groups'>) {
  const entries = Object.entries(groups)
  if (entries.length === 0) return null
  return (
    <section>
      <h2>Breakdown</h2>
      <dl class="pairs">
        {entries.map(([field, label]) => (
          <div key={field}>
            <dt>{formatLine(field, 60)}</dt>
            <dd>{formatLine(label)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
