/** The contractions that the VQA evaluation puts right, as they should be. */
const correct =
  "ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've he's " +
  "how'd how'll how's isn't it'd it'd've it'll ma'am might've mightn't mightn't've must've mustn't needn't not've o'clock " +
  "oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd " +
  "someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've there're there's " +
  "they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's what've when's where'd " +
  "where's where've who'd who'd've who'll who's who've why'll why're why's won't would've wouldn't wouldn't've y'all " +
  "y'all'd've y'all'll you'd you'd've you'll you're you've"

/**
 * What a word with one apostrophe missing stands for: `dont`, `couldnt've`. As in the public list, "somebody'd" alone goes the
 * other way, and words that are none without an apostrophe ("wed", "shell", "id") are not there.
 *
 * Source: https://github.com/GT-Vision-Lab/VQA, `PythonEvaluationTools/vqaEval.py`.
 */
export const contractions: ReadonlyMap<string, string> = new Map([
  ...correct.split(' ').flatMap(word => withoutOneApostrophe(word).map(wrong => [wrong, word] as const)),
  ["somebody'd", 'somebodyd'],
])

function withoutOneApostrophe(word: string): readonly string[] {
  return Array.from(word.matchAll(/'/g), ({ index }) => word.slice(0, index) + word.slice(index + 1))
}
