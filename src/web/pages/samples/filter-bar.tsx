/** The filter of a list of samples: kinds, task, labels, search, order. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Facet, RunView, SampleFilter, SampleOrder } from '../../../present/page/data/index.js'
import { sampleOrders } from '../../../present/page/data/samples.js'
import { labelNames } from '../../data/labels.js'
import { without } from '../../data/without.js'
import { formatCount } from '../../../../base/text/numbers.js'
import { measures, type Measure } from '../../../reading/samples/number-ranges.js'
import { formatLine } from '../../parts/safe-text.js'
import { formatMeasureRange, measureNames } from './measure-names.js'
import { kindNames, kindsFor, orderNames } from './sample-address.js'
import type { KindCounts } from './use-counts.js'

/** A person who types is not interrupted by searches. */
const typingMs = 250

interface FilterBarProps {
  readonly filter: SampleFilter
  readonly counts: KindCounts
  readonly view: 'list' | 'grid'
  readonly run?: RunView
  /** On a narrow screen, all but the kinds and the search is folded. */
  readonly isNarrow: boolean
  readonly change: (filter: SampleFilter, more?: Readonly<Record<string, string | undefined>>) => void
}

/** Shows the inputs that filter the list of samples. */
export function FilterBar({ filter, counts, view, run, isNarrow, change }: FilterBarProps) {
  const set = (changes: { readonly [name in keyof SampleFilter]?: SampleFilter[name] | undefined }): void =>
    change(removeUndefined({ ...filter, ...changes }), { at: undefined })
  const setLabel = (field: string, label: string): void => {
    const others = without(filter.labels ?? {}, field)
    const labels = label === '' ? others : { ...others, [field]: label }
    set({ labels: Object.keys(labels).length === 0 ? undefined : labels })
  }
  const removeRange = (measure: Measure): void => {
    const ranges = without(filter.ranges ?? {}, measure)
    set({ ranges: Object.keys(ranges).length === 0 ? undefined : ranges })
  }
  const tasks = run?.provenance.tasks.map(({ name }) => name) ?? []
  const choices = (
    <>
      {tasks.length > 1 && (
        <Choice
          label="Task"
          value={filter.task ?? ''}
          options={[['', 'All tasks'], ...tasks.map(name => [name, formatLine(name, 60)] as const)]}
          choose={task => set({ task: task === '' ? undefined : task })}
        />
      )}
      {(run?.facets ?? []).map(facet => (
        <Choice
          key={facet.field}
          label={formatLine(facet.field, 40)}
          value={filter.labels?.[facet.field] ?? ''}
          options={facetOptions(facet, filter.labels?.[facet.field])}
          choose={label => setLabel(facet.field, label)}
        />
      ))}
      <Choice
        label="Human label"
        value={filter.marked ?? ''}
        options={[['', 'Anything'], ...Object.entries(labelNames)]}
        choose={name =>
          set({ marked: (Object.keys(labelNames) as (keyof typeof labelNames)[]).find(label => label === name) })
        }
      />
      <Choice
        label="Sort"
        value={filter.sort ?? 'doc'}
        options={sampleOrders
          .filter(order => order !== 'change' || filter.against !== undefined)
          .map(order => [order, orderNames[order]] as const)}
        choose={order => set({ sort: order === 'doc' ? undefined : (order as SampleOrder) })}
      />
      <button
        type="button"
        aria-pressed={filter.descending === true}
        onClick={() => set({ descending: filter.descending === true ? undefined : true })}
      >
        Descending
      </button>
      <button
        type="button"
        aria-pressed={view === 'grid'}
        onClick={() => change(filter, { view: view === 'grid' ? undefined : 'grid' })}
      >
        Pictures
      </button>
    </>
  )
  return (
    <div class="filter-bar" role="search" aria-label="Filter of samples">
      <div class="kinds" role="group" aria-label="Kinds of samples">
        {kindsFor(filter).map(kind => (
          <button key={kind} type="button" aria-pressed={filter.only === kind} onClick={() => set({ only: kind })}>
            {kindNames[kind]}
            {counts[kind] !== undefined && <span class="count">{formatCount(counts[kind])}</span>}
          </button>
        ))}
      </div>
      {filter.ranges !== undefined && (
        <div class="ranges">
          {measures.map(
            measure =>
              filter.ranges?.[measure] !== undefined && (
                <button
                  key={measure}
                  type="button"
                  aria-label={`Remove the filter ${measureNames[measure]} ${formatMeasureRange(measure, filter.ranges[measure])}`}
                  onClick={() => removeRange(measure)}
                >
                  {measureNames[measure]} {formatMeasureRange(measure, filter.ranges[measure])}{' '}
                  <span aria-hidden="true">×</span>
                </button>
              ),
          )}
        </div>
      )}
      <div class="fields">
        <SearchField text={filter.q ?? ''} search={q => set({ q: q === '' ? undefined : q })} />
        {isNarrow ? (
          <details class="more-filters">
            <summary>More filters</summary>
            <div class="fields">{choices}</div>
          </details>
        ) : (
          choices
        )}
      </div>
    </div>
  )
}

/** The filter without fields that are undefined. */
const removeUndefined = (filter: {
  readonly [name in keyof SampleFilter]?: SampleFilter[name] | undefined
}): SampleFilter => ({
  only: 'all',
  ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
})

function facetOptions({ labels, more }: Facet, chosen: string | undefined): (readonly [string, string])[] {
  const labelOptions = labels.map(
    ({ label, docs }) => [label, `${formatLine(label, 60)} (${formatCount(docs)})`] as const,
  )
  const isListed = chosen === undefined || labels.some(({ label }) => label === chosen)
  return [
    ['', more > 0 ? `All, of which ${labels.length} are listed` : 'All'],
    ...labelOptions,
    ...(isListed ? [] : [[chosen, formatLine(chosen, 60)] as const]),
  ]
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly choose: (value: string) => void
}

const Choice = ({ label, value, options, choose }: ChoiceProps) => (
  <label class="choice">
    {label}
    <select value={value} onChange={event => choose(event.currentTarget.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

function SearchField({ text, search }: { readonly text: string; readonly search: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const latest = useRef(search)
  latest.current = search
  const searchedText = useRef(text)
  useEffect(() => {
    if (text !== searchedText.current) setTyped(text)
    searchedText.current = text
  }, [text])
  useEffect(() => {
    if (typed.trim() === searchedText.current) return undefined
    const timer = setTimeout(() => {
      searchedText.current = typed.trim()
      latest.current(searchedText.current)
    }, typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <label class="choice search">
      Search
      <input
        id="sample-search"
        type="search"
        placeholder="Prompt, answer, target or id"
        value={typed}
        onInput={event => setTyped(event.currentTarget.value)}
        onKeyDown={event => event.key === 'Enter' && event.currentTarget.blur()}
      />
    </label>
  )
}
