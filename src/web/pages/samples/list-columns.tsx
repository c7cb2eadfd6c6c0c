import type { SampleFilter, SampleRow } from '../../../present/page/data/index.js'
import { labelNames } from '../../data/labels.js'
import type { Source } from '../../data/source.js'
import { Badge, OutcomeBadge } from '../../parts/badge.js'
import { formatDecimal, formatCount } from '../../../../base/text/numbers.js'
import { HitLine } from '../../parts/hits.js'
import { formatLine } from '../../parts/safe-text.js'
import { sampleHash } from './sample-address.js'
import { Thumbnail } from './thumbnail.js'

/** The names of the columns of the list. */
export type ColumnName = keyof typeof titles

const titles = {
  medium: 'Media',
  id: 'Doc',
  task: 'Task',
  outcome: 'Outcome',
  value: 'Value',
  other: 'Other',
  prompt: 'Prompt',
  extracted: 'Extracted',
  answer: 'Answer',
  target: 'Target',
  label: 'Human label',
} as const

/** A card on a narrow screen has four lines. */
export const rowHeight = (isNarrow: boolean): number => (isNarrow ? 106 : 44)

/** Chooses the columns that a filter needs. */
export const chooseColumns = ({ against, task }: SampleFilter, canLabel: boolean): readonly ColumnName[] =>
  (Object.keys(titles) as ColumnName[]).filter(
    name =>
      (name !== 'other' || against !== undefined) &&
      (name !== 'task' || task === undefined) &&
      (name !== 'label' || canLabel),
  )

/** Shows the titles of the columns. */
export const Header = ({ columns }: { readonly columns: readonly ColumnName[] }) => (
  <div class="sample-cells sample-header" role="presentation">
    {columns.map((name, index) => (
      <span key={name} role="columnheader" aria-colindex={index + 1} class={`cell-${name}`}>
        {titles[name]}
      </span>
    ))}
  </div>
)

interface RowCellsProps {
  readonly source: Source
  readonly run: string
  readonly filter: SampleFilter
  readonly index: number
  readonly columns: readonly ColumnName[]
  /** Undefined until it is loaded. */
  readonly row: SampleRow | undefined
}

/** Shows the cells of one sample. */
export function RowCells({ source, run, filter, index, columns, row }: RowCellsProps) {
  return (
    <div class="sample-cells" role="presentation">
      {columns.map((name, position) => (
        <span key={name} role="gridcell" aria-colindex={position + 1} class={`cell-${name}`}>
          {row === undefined ? (
            <span class="placeholder" />
          ) : name === 'id' ? (
            <a href={sampleHash(run, row, filter, { at: index })} tabIndex={-1}>
              <HitLine text={row.id} characters={60} />
            </a>
          ) : (
            cell(name, row, source)
          )}
        </span>
      ))}
    </div>
  )
}

function cell(name: ColumnName, row: SampleRow, source: Source) {
  switch (name) {
    case 'medium':
      return row.medium === undefined ? null : <Thumbnail source={source} medium={row.medium} width={80} />
    case 'task':
      return formatLine(row.taskName, 60)
    case 'outcome':
      return (
        <>
          <OutcomeBadge outcome={row.outcome} isRight={row.isRight} />
          {row.empty === true && <Badge tone="warn" text="empty" />}
          {row.cut === true && <Badge tone="warn" text="cut off" title="The answer reached its token limit." />}
          {row.disputed === true && <Badge tone="warn" text="disputed" title="The judges of the panel differ." />}
        </>
      )
    case 'value':
      return valueText(row.value)
    case 'other':
      return valueText(row.otherValue ?? null)
    case 'label':
      return row.marked === undefined ? null : <MarkBadge label={row.marked} />
    case 'id':
    case 'answer':
      return (
        <span dir="auto">
          {row.extracted !== undefined && (
            <b class="in-card">
              <HitLine text={row.extracted} characters={60} />{' '}
            </b>
          )}
          <HitLine text={row.answer} />
        </span>
      )
    case 'target':
      return (
        <span dir="auto">
          <span class="in-card dim">Target </span>
          <HitLine text={row.target} />
        </span>
      )
    case 'prompt':
    case 'extracted':
      return (
        <span dir="auto">
          <HitLine text={row[name] ?? ''} />
        </span>
      )
  }
}

/** Formats a value; whole values have no decimals. */
export const valueText = (value: number | null): string =>
  value === null ? '–' : Number.isInteger(value) ? formatCount(value) : formatDecimal(value)

const tones = { right: 'good', wrong: 'bad', unclear: 'warn' } as const

/** Shows a label as a badge. */
export const MarkBadge = ({ label }: { readonly label: NonNullable<SampleRow['marked']> }) => (
  <Badge tone={tones[label]} text={labelNames[label].toLowerCase()} title="What a person says about the answer." />
)
