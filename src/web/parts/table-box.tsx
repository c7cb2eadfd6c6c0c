/** A table that scrolls within its own box where it is wider than the page. */
import type { ComponentChildren } from 'preact'

interface TableBoxProps {
  /** The content of the table, for screen readers. */
  readonly label: string
  readonly columns: readonly Column[]
  readonly children: ComponentChildren
  readonly class?: string
}

/** A column of a table. */
export interface Column {
  readonly title: string
  readonly align?: 'right'
  /** Explains the column when the pointer rests on its head. */
  readonly hint?: string
}

/** Shows a table that scrolls within the page. */
export function TableBox({ label, columns, children, class: name = '' }: TableBoxProps) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={label}>
      <table class={name} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, align, hint }) => (
              <th key={title} scope="col" class={align} title={hint}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
