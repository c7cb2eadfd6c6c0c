/** Shows the frame of all pages: navigation, current page and the list of shortcuts. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Source } from './data/source.js'
import { openFoldsForPrint } from './parts/printing.js'
import { formatHash, useAddress, type Address } from './routing/address.js'
import { activeShortcuts, listenForShortcuts, useShortcuts } from './routing/keys.js'

/** The properties that every page gets: its data source and its address. */
export interface PageProps {
  readonly source: Source
  readonly address: Address
}

/** A page with the pattern of its path, in which `*` matches one part. */
export interface Page {
  readonly path: string
  readonly component: (props: PageProps) => ComponentChildren
}

/** A link of the navigation bar. */
export interface NavigationEntry {
  readonly title: string
  readonly path: readonly string[]
}

interface AppProps {
  readonly source: Source
  readonly pages: readonly Page[]
  readonly navigation: readonly NavigationEntry[]
}

/** Shows the navigation and the page of the current address. */
export function App({ source, pages, navigation }: AppProps) {
  const address = useAddress()
  const [showsKeys, setShowsKeys] = useState(false)
  useEffect(listenForShortcuts, [])
  useEffect(openFoldsForPrint, [])
  useShortcuts([
    { keys: ['?'], does: 'show or hide this list', run: () => setShowsKeys(isShown => !isShown) },
    {
      keys: ['Escape'],
      does: 'close what is open, or leave a field',
      run: () => {
        setShowsKeys(false)
        blur()
      },
    },
  ])
  const links = useRef<HTMLElement>(null)
  const [section] = address.path
  // On a narrow screen, the current link may be outside of the visible part.
  useEffect(() => {
    links.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [section])
  const page = pages.find(({ path }) => matches(path, address.path))
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        Skip to the content
      </a>
      <header class="top">
        <span class="brand">pipeline</span>
        <nav aria-label="Pages" ref={links}>
          {navigation.map(({ title, path }) => (
            <a key={title} href={formatHash(path)} aria-current={address.path[0] === path[0] ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <button class="quiet" type="button" onClick={() => setShowsKeys(true)} aria-label="Keyboard shortcuts">
          ?
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {page === undefined ? (
          <p>There is no such page.</p>
        ) : (
          <page.component key={page.path} source={source} address={address} />
        )}
      </main>
      {showsKeys && <Keys close={() => setShowsKeys(false)} />}
    </>
  )
}

/** Moves the focus to the main part. A plain link would replace the page's address after `#`. */
function toMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function blur(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
}

function matches(pattern: string, path: readonly string[]): boolean {
  const parts = pattern.split('/').filter(part => part !== '')
  return parts.length === path.length && parts.every((part, index) => part === '*' || part === path[index])
}

const keyNames: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
}

function Keys({ close }: { readonly close: () => void }) {
  return (
    <div class="sheet" role="dialog" aria-label="Keyboard shortcuts">
      <h2>Keyboard shortcuts</h2>
      <dl>
        {activeShortcuts().map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map(key => (
                <kbd key={key}>{keyNames[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </div>
  )
}
