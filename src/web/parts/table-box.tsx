/** A table that scrolls within its own box where it is wider than the page. */
import type { ComponentChildren } from 'preact'

interface TableBoxProps {
  /** The content of the table, for screen readers. */
  readonly label: string
  readonly columns: readonly Column[]
  /** Heads over several columns each, in a row above the columns' own. */
  readonly groups?: readonly { readonly title: string; readonly columns: number }[]
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
export function TableBox({ label, columns, groups = [], children, class: name = '' }: TableBoxProps) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={label}>
      <table class={name} aria-label={label}>
        <thead>
          {groups.length > 0 && (
            <tr class="column-groups">
              {groups.map(({ title, columns: wide }, index) =>
                title === '' ? (
                  <td key={index} colSpan={wide} />
                ) : (
                  <th key={index} scope="colgroup" colSpan={wide}>
                    {title}
                  </th>
                ),
              )}
            </tr>
          )}
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
