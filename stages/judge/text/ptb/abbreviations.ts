/**
 * What a period can belong to, in patterns of the lexer. `[A]z` is a state only with its capital: the rest of a word may be in any case.
 *
 * Source: the lexer of Stanford's PTB tokenizer, version 3.4.1, which took them from the Wall Street Journal of 1987.
 */
const anyOf = (...lists: readonly string[]): string => `(${lists.join(' ').split(' ').join('|')})`

const months = 'Jan Feb Mar Apr Jun Jul Aug Sept? Oct Nov Dec'
const days = 'Mon Tues? Wed Thu Thurs Fri'
const states =
  'Ala Ariz [A]z [A]rk Calif Colo Conn Ct Dak [D]el Fla Ga [I]ll Ind Kans? Ky [L]a [M]ass Md Mich Minn [M]iss Mo Mont Neb Nev ' +
  'Okla [O]re [P]a Penn Tenn [T]ex Va Vt [W]ash Wisc? Wyo'
const companies = 'Inc Cos? Corp Pp?t[ye]s? Ltd Plc Rt Bancorp Bhd Assn Univ Intl Sys'
const others = String.raw`tel est ext sq Jr Sr Bros (Ed|Ph)\.D Blvd Rd Esq etc al seq Bldg`
const titles =
  'Mr Mrs Ms [M]iss Drs? Profs? Sens? Reps? Attys? Lt Col Gen Messrs Govs? Adm Rev Maj Sgt Cpl Pvt Capt Ste? Ave Pres Lieut Hon ' +
  'Brig Co?mdr Pfc Spc Supts? Det Mt Ft Adj Adv Asst Assoc Ens Insp Mlle Mme Msgr Sfc'
const named = String.raw`vs Alex Wm Jos Cie a\.k\.a cf TREAS Ph Invt Elec Natl M[ft]g Dept`

const joinedAcronyms = String.raw`(Canada|Sino|Korean|EU|Japan|non)-U\.S|U\.S\.-(U\.K|U\.S\.S\.R)`

/** Letters between periods; one letter is enough. */
export const acronym = String.raw`([A-Za-z](\.[A-Za-z])*|${joinedAcronyms})`

/** Two letters at least. */
export const longAcronym = String.raw`([A-Za-z](\.[A-Za-z])+|${joinedAcronyms})`

/** A capital behind these begins a sentence. */
export const sentenceEnding = String.raw`${anyOf(months, days, states, companies, others)}\.`

/** A capital mostly follows these within a sentence. Without their period. */
export const withinSentence = `(${anyOf(titles, named)}|${acronym})`

/** Abbreviations before a number alone. */
export const beforeNumber = String.raw`${anyOf('ca figs? prop nos? art bldg pp op')}\.`

/** With a capital, what an acronym at the end of a sentence is followed by. */
export const sentenceBeginning = String.raw`${anyOf(
  '[A]bout [A]ccording [A]dditionally [A]fter [A]n [A] [A]s [A]t [B]ut [E]arlier [H]e [H]er [H]ere [H]owever [I]f [I]n [I]t [L]ast',
  String.raw`[M]any [M]ore [M]r\. [M]s\. [N]ow [O]nce [O]ne [O]ther [O]ur [S]he [S]ince [S]o [S]ome [S]uch [T]hat [T]he [T]heir [T]hen`,
  '[T]here [T]hese [T]hey [T]his [W]e [W]hen [W]hile [W]hat [Y]et [Y]ou',
)}`
