import { Option, type Command } from 'commander'
import { fileFormats, type FileFormat } from '../../present/files/report-formats.js'

/** The flags of formats for other programs, all of which write to standard output. */
export type FormatFlags = { readonly [format in FileFormat]?: boolean }

const help: Readonly<Record<FileFormat, string>> = {
  csv: 'print a row for each metric of each task (CSV); also of several runs',
  md: 'print a Markdown table; several runs have a column each',
  junit: 'print a test case for each doc (JUnit XML, for CI)',
  latex: 'print a LaTeX table (booktabs); several runs have a column each',
}

/** Flags that print something else, or write other files. */
const others = ['json', 'samples', 'limit', 'dump', 'throughput', 'prices', 'outputPath', 'logSamples', 'html']

/** Adds the flags of file formats. They exclude each other and other output flags. */
export function withFileFormats(command: Command): Command {
  for (const format of fileFormats) {
    const conflicting = [...fileFormats.filter(other => other !== format), ...others]
    command.addOption(new Option(`--${format}`, help[format]).conflicts(conflicting))
  }
  return command
}

export const chosenFormat = (flags: FormatFlags): FileFormat | undefined =>
  fileFormats.find(format => flags[format] === true)
