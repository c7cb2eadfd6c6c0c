/** Mathematical text, brought into a form that a parser of LaTeX reads. */

const units =
  /\\?(?:text|mathrm|mbox|textrm)\{\s*(?:degrees?|cm|mm|km|m|kg|g|s|inches|feet|units?|dollars|cents|[a-z]+)\s*\}(?:\^\{?\d\}?)?/gi

/** Without what only formats: dollar signs, sizes of brackets, thin spaces, degrees, units at the end, thousands separators. */
export function plainMath(text: string): string {
  return text
    .replaceAll('\\$', '')
    .replaceAll('$', '')
    .replace(/\\[dt]frac/g, '\\frac')
    .replace(/\\(?:left|right)(?![a-zA-Z])/g, '')
    .replace(/\\[,!;: ]/g, '')
    .replaceAll('{,}', ',')
    .replace(/\^\s*\{?\\circ\}?|\s*degrees\b/g, '')
    .replace(/(?<=[\d}])\s*\\?(?:cm|mm|km|kg)\b(?:\^\{?\d\}?)?$/, '')
    .replace(new RegExp(`(?<=[\\d}])\\s*${units.source}$`, 'i'), '')
    .replace(/^\\(?:text|mathrm|mbox)\{([^{}]*)\}$/, '$1')
    .replace(/(?<![\d.])(\d{1,3}(?:,\d{3})+)(?![\d,])/g, number => number.replaceAll(',', ''))
    .replace(/\s*\\text\{\s*(?:or|and)\s*\}\s*|\s+(?:or|and)\s+/g, ',')
    .replace(/(?<=^\s*-?[\d.]+\s*):(?=\s*[\d.]+\s*$)/, '/')
    .replaceAll('bmatrix', 'pmatrix')
    .replace(/\\binom\{([^{}]*)\}\{([^{}]*)\}/g, '\\frac{($1)!}{($2)!(($1)-($2))!}')
    .replace(/(?<![\\a-zA-Z])pi(?![a-zA-Z])/g, '\\pi')
    .replace(/\\(?:geqslant|ge)(?![a-zA-Z])/g, '\\geq')
    .replace(/\\(?:leqslant|le)(?![a-zA-Z])/g, '\\leq')
    .trim()
    .replace(/\.$/, '')
}

/** The parts of a list between brackets, as far as commas outside of all brackets part it. */
export function splitAtCommas(text: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charAt(i)
    if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth -= 1
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim())
      start = i + 1
    }
  }
  return [...parts, text.slice(start).trim()]
}
