import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PipelineError, systemCode } from '../../../../base/errors/errors.js'
import { projectRoot } from '../../../../cache/code/project-root.js'

/** The built script and styles of a report. */
export interface PageCode {
  readonly script: string
  readonly style: string
}

/** @throws PipelineError if the pages are not built */
export async function readPageCode(): Promise<PageCode> {
  const folder = join(projectRoot, 'dist/web/report')
  try {
    const [script, style] = await Promise.all(
      ['report.js', 'report.css'].map(name => readFile(join(folder, name), 'utf8')),
    )
    // Only texts inside the script can hold these, and a backslash changes nothing there.
    return {
      script: (script ?? '').replace(/<(?=\/script|!--)/gi, '\\x3c'),
      style: (style ?? '').replace(/<(?=\/style)/gi, '\\3c '),
    }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    throw new PipelineError('config', `${folder} does not hold the pages of a report: run \`npm run build\``, {
      cause: error,
    })
  }
}

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Only the page's own script runs, and nothing is loaded. `blob:` is for media that the file itself holds. */
const policy = ({ script, style }: PageCode): string =>
  [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'img-src blob:',
    'media-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

/** Escapes a text for an element of HTML or SVG. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)

/** JSON for a data element of a page: no text in it can end the element, begin a comment or break a line of a script. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * The beginning of the page: all that its first view needs. Elements with samples and media follow it, so that a browser shows
 * the view before it has read them.
 */
export const pageStart = (title: string, code: PageCode, data: unknown): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="${policy(code)}">
<title>${escapeHtml(title)}</title>
<style>${code.style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This report shows its tables with a script. Allow scripts for this file.</noscript>
<script type="application/json" id="report-data">${scriptJson(data)}</script>
<script>${code.script}</script>
`

/** The text that ends a page. */
export const pageEnd = '</body>\n</html>\n'

/** An element that holds bytes in base64. @param attributes names and values without characters that need escapes */
export const dataElement = (id: string, bytes: Uint8Array, type?: string): string =>
  `<script type="text/plain" id="${id}"${type === undefined ? '' : ` data-type="${type}"`}>${Buffer.from(bytes).toString('base64')}</script>\n`
