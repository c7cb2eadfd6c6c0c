/** A real Chromium for tests of pages. Every script error, console error and violation of the content security policy is kept, for {@link Opened.complaints}. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import { chromium, type Browser, type Page } from 'playwright-core'

const usualPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The path of Chromium; undefined where none is installed. */
export const chromiumPath: string | undefined = [process.env['PIPELINE_CHROMIUM'] ?? '', ...usualPlaces].find(
  path => path !== '' && existsSync(path),
)

/** For the names of suites: why they are skipped, if they are. */
export const withoutChromium = chromiumPath === undefined ? ' (skipped: no Chromium is installed)' : ''

/** Chromium connects to nothing by itself with these arguments. */
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function startBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('no Chromium is installed: PIPELINE_CHROMIUM names its path')
  return chromium.launch({ executablePath: chromiumPath, args: quiet, chromiumSandbox: process.getuid?.() !== 0 })
}

/** How a page is looked at. */
export interface Look {
  readonly theme?: 'light' | 'dark'
  /** Pixels. @default 1280 */
  readonly width?: number
  /** @default 800 */
  readonly height?: number
}

export interface Opened {
  readonly page: Page
  /** What went wrong in the page since the last call. */
  complaints(): string[]
  close(): Promise<void>
}

/** Opens an empty page in a context of its own, with the cookies of another page if one is given. */
export async function openPage(
  browser: Browser,
  { theme = 'light', width = 1280, height = 800 }: Look = {},
  like?: Page,
): Promise<Opened> {
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    ...(like && { storageState: await like.context().storageState() }),
  })
  const page = await context.newPage()
  const heard: string[] = []
  page.on('pageerror', error => heard.push(`error: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error') heard.push(`console: ${message.text()}`)
  })
  page.on('dialog', dialog => {
    heard.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return { page, complaints: () => heard.splice(0), close: () => context.close() }
}

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/** The rules of WCAG 2.1 A and AA, and axe's best practices, that the page breaks, as lines for a person. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Code that the debugger evaluates is not subject to the page's content security policy.
  await page.evaluate(await axeSource)
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })')
  return violations.map(({ id, help, nodes }) =>
    [
      `${id}: ${help}`,
      ...nodes.slice(0, 5).map(({ html, failureSummary = '' }) => `  ${html.slice(0, 200)}\n    ${failureSummary}`),
    ].join('\n'),
  )
}
