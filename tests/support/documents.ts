/** Reads the documents: their pages, headings and links. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './cli.js'

export interface Page {
  /** Relative to the project's folder. */
  readonly path: string
  readonly text: string
}

/** The pages in a folder and below. */
export const readPages = (folder: string): readonly Page[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => readPage(`${folder}/${name}`))

export const readPage = (path: string): Page => ({ path, text: readFileSync(join(root, path), 'utf8') })

/** The anchor that GitHub gives a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** The anchors of a page. */
export const anchorsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** The sections whose heading is wanted, each with the sections below it. */
export function sectionsIn(text: string, isWanted: (heading: string) => boolean): readonly string[] {
  const headings = [...text.matchAll(/^(#+) (.*)$/gm)]
  return headings.flatMap(({ 1: marks = '', 2: heading = '', index }, at) => {
    const next = headings.slice(at + 1).find(({ 1: other = '' }) => other.length <= marks.length)
    return isWanted(heading) ? [text.slice(index, next?.index)] : []
  })
}

/** A link to a page of the project: `[words](path#anchor)`. */
export interface Link {
  readonly words: string
  /** As it is written; empty for a heading of the same page. */
  readonly path: string
  readonly anchor?: string
}

export const linksIn = (text: string): readonly Link[] =>
  [...text.matchAll(/\[([^\]]*)\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
    ([, words = '', path = '', anchor]) => ({ words, path, ...(anchor === undefined ? {} : { anchor }) }),
  )
