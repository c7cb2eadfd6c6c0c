/** The words of answers in languages that write no spaces between words, or attach particles to them. */

/** The words of one such language. Each text holds alternatives of a pattern that ignores case. */
export interface UnspacedAnswerWords {
  /** Names of the conclusion. The verb may be missing: 答案B. */
  readonly nouns: string
  /** Words between that name and the letter of an option. */
  readonly links: string
  /** Says that what stands before it is right. White space may stand before it. */
  readonly right: string
  /** Denies or only supposes what follows. */
  readonly denials: string
  /** The only words that may stand between a denial and what it denies. */
  readonly fillers: string
  /** Denies what stands before it. White space may stand before it. */
  readonly denied: string
  /** Negates the clause that it stands in, from there on: "Nothing is red". */
  readonly negates: string
  /** Negates its whole clause, also what stands before it. Languages with the verb at the end have it. */
  readonly negatesAnywhere?: string
  /** Says of a labelled option that it is wrong. */
  readonly wrong: string
  /** Takes back what was stated before. */
  readonly corrects: string
  /** Stands between several answers: or, and. */
  readonly joins: string
  /** Ends a question. */
  readonly asks: string
  /** Answers that are nothing else. */
  readonly yes: string
  readonly no: string
}

export const unspacedWords = {
  chinese: {
    nouns: '答案|正[确確]的?(?:选项|選項)|解答|回答|结论|結論|答|选择?(?!项)|選擇?(?!項|択)',
    links: '是|为|為|即|乃|应该?|應該?|就|只能|只有|一定|必|肯定|显然|可能|选择?|選擇?|选项|選項|正确的?|的|最终|最後',
    right: '(?:选项|選項|项|項)?\\s*(?:才?是|最|为|為)?\\s*(?:正确|正確|对|對|正解|答案|符合|最合适|最佳)',
    denials:
      '不|并非|並非|而非|非|没有?|沒有?|无法|無法|排除掉?了?|除了?|未必|如果|假如|假设|若|(?:起初|一开始|一開始|最初|原本|本来|本來|开始|開始)?我?(?:以为|以為|原以为)|乍一看[，,]?|初看[，,]?|起初|否则',
    fillers:
      '(?<![,，]\\s?)(?:是|选择?|選擇?|会|會|能|可能|应该?|應該?|该|認為|认为|觉得|确定|確定|知道|判断|判断出|说|答案|选项|選項|是否|为|為|在于)',
    denied:
      '(?:选项|選項|项|項)?(?:并|並)?(?:不(?:是|对|對|正确|正確|符合|成立|选|選|行|可能|合适|合適|能|会|會|应|應|太)|错|錯|与题意不|與題意不|有误|有誤|是(?:错|錯|不)|被?排除|明显不|显然不|都不|均不|(?:看起来|看似|似乎)?(?:可能)?(?:是)?(?:干扰项|陷阱))',
    negates: '不|没|沒|无|無|非|勿|别|未',
    wrong: '错误?|錯誤?|不正确|不正確|不对|不對|不符合|假|误|×',
    corrects:
      '不对|不對|不是|不|等等|等一下|其实|其實|实际上|實際上|更正|纠正|抱歉|应该是说|不好意思|而是|重新考虑|让我更正|我?(?:看|弄|搞|说)错了|仔细(?:一)?看|再看(?:一下)?',
    joins: '、|或者?|和|及|与|與|以及|还是',
    asks: '吗|嗎|呢|么',
    yes: '是|是的|对|對|对的|對的|正确|正確|肯定|肯定的|有|有的|会|會|没错|當然|当然|可以|能|真',
    no: '不|不是|不是的|否|没有|沒有|不对|不對|不正确|不正確|错|錯|错误|錯誤|否定|否定的|不会|不會|不能|不可以|并不是|假',
  },
  japanese: {
    nouns: '答え|正解|正答|解答|回答|結論|解',
    links: 'は|が|として|選択肢|の|、|番号|記号',
    right: '(?:が|は)\\s*(?:正解|正し|答え|適切|正答)',
    denials: 'もし|仮に|一見すると?、?',
    fillers: '答えが|正解が|選択肢',
    denied:
      '(?:は|が|も|では|じゃ)\\s*(?:ではな|じゃな|でな|な[いく]|違|誤|間違|正しくな|不正|不適|あり得な|ありえな|除)|(?:では|じゃ)(?:な|あり)|(?:以外|を除)|だ?と(?:思いました|思った|思っていました|思っていた|考えました|考えた)(?:が|けど|けれど|のですが)',
    negates: '決して',
    negatesAnywhere: 'ません|ない|なかった|なく|ず(?![か-ん])',
    wrong: '誤り|誤|間違い|不正解|不適切|正しくない|偽|×',
    corrects:
      'いや|いえ|いいえ|違います|違う|実は|待って|待ってください|訂正|すみません|やはり|やっぱり|失礼しました|(?:見|言い)?間違え(?:ました|た)|よく見ると',
    joins: 'か|と|または|もしくは|および|あるいは|や',
    asks: 'か|かな|でしょうか',
    yes: 'はい|ええ|正しい|そうです|うん|あります|その通り|その通りです|真|います|正しいです',
    no: 'いいえ|いえ|違う|違います|正しくない|ありません|いません|ちがいます|そうではありません|ない|偽|ないです',
  },
  korean: {
    nouns: '정답|답안?|해답|최종 답',
    links: '은|는|이|가|번호|번|:|선택지|보기|옵션',
    right: '번?\\s*(?:이|가|은|는)\\s*(?:정답|맞|옳|답)',
    denials: '만약|만일|언뜻 보면',
    fillers: '정답이|답이|선택지|보기',
    denied:
      '번?\\s*(?:이|가|은|는|도)?\\s*(?:아니|아닙|아닌|아님|틀|오답|옳지|맞지|정답이\\s*아)|(?:이?라고|인\\s*줄)\\s*(?:생각했|생각하였|알았)|번?\\s*(?:을|를)?\\s*제외',
    negates: '전혀|결코',
    negatesAnywhere: '않|없|아니|아닙|못하',
    wrong: '틀림|틀렸|오답|거짓|아님|잘못|×',
    corrects:
      '아니|아니요|아니오|아뇨|사실|사실은|잠깐|잠깐만|정정|정정합니다|죄송합니다|다시|다시 보니|다시 생각해 ?보니|착각했습니다|실수했습니다|잘못 (?:봤|보았)습니다',
    joins: '또는|및|과|와|이나|나|혹은|그리고|하고',
    asks: '까|나요|가요|인가',
    yes: '예|네|맞다|맞습니다|그렇습니다|맞아요|그래요|그렇다|참|있습니다|네 맞습니다|물론입니다',
    no: '아니오|아니요|아뇨|아니다|아닙니다|그렇지 않습니다|없습니다|거짓|틀렸습니다|아니에요|아니',
  },
  thai: {
    nouns: 'คำตอบ(?:ที่ถูกต้อง|ที่ถูก)?|ตอบ|เฉลย',
    links: 'คือ|ข้อ|ตัวเลือก|เป็น',
    right: '(?:เป็น)?(?:ข้อที่|คำตอบที่)?ถูก(?:ต้อง)?',
    denials: 'ไม่(?:ใช่|เลือก)|ถ้า|หาก|ยกเว้น',
    fillers: 'ข้อ|ตัวเลือก|คำตอบ|คือ',
    denied: '(?:นั้น)?(?:ผิด|ไม่ถูก(?:ต้อง)?|ไม่ใช่)',
    negates: 'ไม่|มิ',
    wrong: 'ผิด|ไม่ถูกต้อง|ไม่ถูก|เท็จ',
    corrects: 'ไม่|ไม่ใช่|เดี๋ยว|จริงๆ แล้ว|จริงๆแล้ว|ที่จริง|ขอโทษ|แก้ไข',
    joins: 'หรือ|และ|กับ',
    asks: 'ไหม|หรือ|หรือไม่|มั้ย',
    yes: 'ใช่|ใช่ครับ|ใช่ค่ะ|ถูก|ถูกต้อง|มี|จริง',
    no: 'ไม่|ไม่ใช่|ไม่ใช่ครับ|ไม่ใช่ค่ะ|ไม่มี|ผิด|ไม่ถูกต้อง|เท็จ|ไม่จริง',
  },
  lao: {
    nouns: 'ຄໍາຕອບ|ຄຳຕອບ',
    links: 'ແມ່ນ|ຄື|ຂໍ້',
    right: '(?:ແມ່ນ)?ຖືກ(?:ຕ້ອງ)?',
    denials: 'ບໍ່ແມ່ນ|ຖ້າ',
    fillers: 'ຂໍ້',
    denied: 'ບໍ່(?:ແມ່ນ|ຖືກ(?:ຕ້ອງ)?)|ຜິດ',
    negates: 'ບໍ່',
    wrong: 'ຜິດ|ບໍ່ຖືກຕ້ອງ',
    corrects: 'ບໍ່|ບໍ່ແມ່ນ|ຂໍໂທດ',
    joins: 'ຫຼື|ແລະ',
    asks: 'ບໍ່|ບໍ',
    yes: 'ແມ່ນ|ແມ່ນແລ້ວ|ຖືກ',
    no: 'ບໍ່|ບໍ່ແມ່ນ|ຜິດ',
  },
  khmer: {
    nouns: 'ចម្លើយ',
    links: 'គឺ|ជា|ត្រឹមត្រូវ',
    right: 'ត្រឹមត្រូវ|ត្រូវ',
    denials: 'មិនមែន|ប្រសិនបើ',
    fillers: 'ជា',
    denied: 'មិន(?:មែន|ត្រឹមត្រូវ|ត្រូវ)|ខុស',
    negates: 'មិន|គ្មាន',
    wrong: 'ខុស|មិនត្រឹមត្រូវ',
    corrects: 'ទេ|មិនមែនទេ|សូមទោស',
    joins: 'ឬ|និង',
    asks: 'ទេ|ឬទេ',
    yes: 'បាទ|ចាស|ត្រឹមត្រូវ',
    no: 'ទេ|អត់ទេ|មិនមែន|ខុស',
  },
  burmese: {
    nouns: 'အဖြေ(?:မှန်)?',
    links: 'မှာ|က|သည်',
    right: '(?:က|သည်)?\\s*မှန်',
    denials: 'အကယ်၍',
    fillers: 'အဖြေ',
    denied: '(?:က|သည်)?\\s*(?:မဟုတ်|မှား|မမှန်)',
    negates: 'မ',
    negatesAnywhere: 'မ(?:ဟုတ်|ရှိ)',
    wrong: 'မှား|မမှန်',
    corrects: 'မဟုတ်ဘူး|မဟုတ်ပါ|တောင်းပန်ပါတယ်',
    joins: 'သို့မဟုတ်|နှင့်|နဲ့',
    asks: 'လား',
    yes: 'ဟုတ်ကဲ့|ဟုတ်တယ်|ဟုတ်ပါတယ်|မှန်တယ်',
    no: 'မဟုတ်ဘူး|မဟုတ်ပါ|မဟုတ်|မှားတယ်',
  },
} as const satisfies Readonly<Record<string, UnspacedAnswerWords>>
