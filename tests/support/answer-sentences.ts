/** Sentences about options in each language in which answers are read. */
import type { spacedLanguages, unspacedLanguages } from '../../stages/judge/text/answer-words/answer-words.js'

export interface AnswerSentences {
  /** Each states B. */
  readonly states: readonly string[]
  /** Each denies B, or only supposes it, and states nothing. */
  readonly denies: readonly string[]
  /** Each states A, and then C instead. */
  readonly takesBack: readonly string[]
  /** Each names A and B as possible answers. */
  readonly several: readonly string[]
}

export const answerSentences: Readonly<
  Record<keyof typeof spacedLanguages | keyof typeof unspacedLanguages, AnswerSentences>
> = {
  english: {
    states: ['The answer is B.', 'B is correct.', 'I am sure that the correct option is B.'],
    denies: [
      'The answer is not B.',
      'B is wrong.',
      'B is not the answer.',
      'Option B does not fit.',
      'If B were right',
    ],
    takesBack: ['Answer: A. Actually no, C.', 'At first I thought the answer is A, but it is C.', 'A. Wait, C.'],
    several: ['The answer is A or B.', 'Answer: A and B', 'Either A or possibly B.'],
  },
  german: {
    states: ['Die Antwort ist B.', 'B ist richtig.', 'Die richtige Antwort lautet: B'],
    denies: ['Die Antwort ist nicht B.', 'B ist falsch.', 'B ist nicht die richtige Antwort.', 'Keinesfalls B.'],
    takesBack: [
      'Antwort: A. Nein, C.',
      'Zuerst dachte ich, die Antwort sei A, aber es ist C.',
      'A. Moment, eigentlich C.',
    ],
    several: ['Die Antwort ist A oder B.', 'Antwort: A und B'],
  },
  french: {
    states: ['La réponse est B.', 'B est correct.', 'La bonne réponse est la lettre B.'],
    denies: ["La réponse n'est pas B.", 'B est faux.', "B n'est pas la bonne réponse.", 'Pas B.'],
    takesBack: ['Réponse : A. Non, C.', 'Je pensais que la réponse était A, mais c’est C.', 'A. En fait, C.'],
    several: ['La réponse est A ou B.', 'Réponse : A et B'],
  },
  spanish: {
    states: ['La respuesta es B.', 'B es correcta.', 'La opción correcta es la B.'],
    denies: ['La respuesta no es B.', 'B es incorrecta.', 'B no es la respuesta correcta.', 'No creo que sea B.'],
    takesBack: ['Respuesta: A. No, C.', 'Al principio pensé que la respuesta era A, pero es C.', 'A. En realidad, C.'],
    several: ['La respuesta es A o B.', 'Respuesta: A y B'],
  },
  catalan: {
    states: ['La resposta és B.', 'B és correcta.'],
    denies: ['La resposta no és B.', 'B és incorrecta.', 'B no és la resposta.'],
    takesBack: ['Resposta: A. No, C.', 'A. En realitat, C.'],
    several: ['La resposta és A o B.'],
  },
  portuguese: {
    states: ['A resposta é B.', 'B está correta.', 'A alternativa correta é a letra B.'],
    denies: ['A resposta não é B.', 'A resposta não é a B.', 'B está errada.', 'B não é a resposta correta.'],
    takesBack: ['Resposta: A. Não, C.', 'No início achei que a resposta era A, mas é C.', 'A. Na verdade, C.'],
    several: ['A resposta é A ou B.', 'Resposta: A e B'],
  },
  italian: {
    states: ['La risposta è B.', 'B è corretta.', 'La risposta giusta è la B.'],
    denies: ['La risposta non è B.', 'B è sbagliata.', 'B non è la risposta corretta.', 'Non credo che sia B.'],
    takesBack: ['Risposta: A. No, C.', 'Pensavo che la risposta fosse A, ma è C.', 'A. Anzi, C.'],
    several: ['La risposta è A o B.', 'Risposta: A e B'],
  },
  dutch: {
    states: ['Het antwoord is B.', 'B is juist.', 'Het juiste antwoord is B.'],
    denies: ['Het antwoord is niet B.', 'B is onjuist.', 'B is niet het juiste antwoord.', 'B klopt niet.'],
    takesBack: ['Antwoord: A. Nee, C.', 'Eerst dacht ik dat het A was, maar het is C.', 'A. Eigenlijk C.'],
    several: ['Het antwoord is A of B.', 'Antwoord: A en B'],
  },
  swedish: {
    states: ['Svaret är B.', 'B är rätt.', 'Rätt svar är B.'],
    denies: ['Svaret är inte B.', 'B är fel.', 'B är inte rätt svar.', 'Alternativ B stämmer inte.'],
    takesBack: ['Svar: A. Nej, C.', 'Först trodde jag att svaret var A, men det är C.', 'A. Vänta, C.'],
    several: ['Svaret är A eller B.', 'Svar: A och B'],
  },
  danish: {
    states: ['Svaret er B.', 'B er korrekt.', 'Det rigtige svar er B.'],
    denies: ['Svaret er ikke B.', 'B er forkert.', 'B er ikke det rigtige svar.'],
    takesBack: ['Svar: A. Nej, C.', 'Først troede jeg at svaret var A, men det er C.', 'A. Vent, C.'],
    several: ['Svaret er A eller B.', 'Svar: A og B'],
  },
  norwegian: {
    states: ['Svaret er B.', 'B er riktig.', 'Riktig svar er B.'],
    denies: ['Svaret er ikke B.', 'B er feil.', 'B stemmer ikke.', 'Alternativ B er ikke riktig.'],
    takesBack: ['Svar: A. Nei, C.', 'Først trodde jeg at svaret var A, men det er C.', 'A. Vent, C.'],
    several: ['Svaret er A eller B.', 'Svar: A og B'],
  },
  romanian: {
    states: ['Răspunsul este B.', 'B este corect.', 'Răspunsul corect este B.'],
    denies: ['Răspunsul nu este B.', 'B este greșit.', 'B nu este răspunsul corect.'],
    takesBack: ['Răspuns: A. Nu, C.', 'Credeam că răspunsul este A, dar este C.', 'A. De fapt, C.'],
    several: ['Răspunsul este A sau B.', 'Răspuns: A și B'],
  },
  finnish: {
    states: ['Vastaus on B.', 'B on oikein.', 'Oikea vastaus on B.'],
    denies: ['Vastaus ei ole B.', 'B on väärin.', 'B ei ole oikea vastaus.', 'En usko, että vastaus on B.'],
    takesBack: ['Vastaus: A. Ei, C.', 'Luulin ensin, että vastaus on A, mutta se on C.', 'A. Itse asiassa C.'],
    several: ['Vastaus on A tai B.', 'Vastaus: A ja B'],
  },
  hungarian: {
    states: ['A válasz: B', 'B helyes.', 'A helyes válasz a B.'],
    denies: ['A válasz nem B.', 'B helytelen.', 'B nem helyes.', 'A B hibás.'],
    takesBack: ['Válasz: A. Nem, C.', 'A. Várj, C.', 'Azt hittem, hogy A, de C.'],
    several: ['A válasz A vagy B.', 'Válasz: A és B'],
  },
  polish: {
    states: ['Odpowiedź to B.', 'B jest prawidłowa.', 'Poprawna odpowiedź to B.'],
    denies: ['Odpowiedź to nie B.', 'B jest błędna.', 'B nie jest poprawną odpowiedzią.', 'Odpowiedzią nie jest B.'],
    takesBack: ['Odpowiedź: A. Nie, C.', 'Myślałem, że odpowiedź to A, ale to C.', 'A. Właściwie C.'],
    several: ['Odpowiedź to A lub B.', 'Odpowiedź: A i B'],
  },
  czech: {
    states: ['Odpověď je B.', 'B je správně.', 'Správná odpověď je B.'],
    denies: ['Odpověď není B.', 'B je špatně.', 'B není správná odpověď.', 'B je nesprávná.'],
    takesBack: ['Odpověď: A. Ne, C.', 'Myslel jsem, že odpověď je A, ale je to C.', 'A. Vlastně C.'],
    several: ['Odpověď je A nebo B.', 'Odpověď: A a B'],
  },
  slovak: {
    states: ['Odpoveď je B.', 'B je správne.'],
    denies: ['Odpoveď nie je B.', 'B je nesprávna.', 'B nie je správna odpoveď.'],
    takesBack: ['Odpoveď: A. Nie, C.', 'A. Vlastne C.'],
    several: ['Odpoveď je A alebo B.'],
  },
  croatian: {
    states: ['Odgovor je B.', 'B je točno.', 'Točan odgovor je B.'],
    denies: ['Odgovor nije B.', 'B je netočno.', 'B nije točan odgovor.', 'B је погрешно.'],
    takesBack: ['Odgovor: A. Ne, C.', 'A. Zapravo, C.'],
    several: ['Odgovor je A ili B.'],
  },
  russian: {
    states: ['Ответ: B', 'B — верно.', 'Правильный ответ — B.'],
    denies: ['Ответ не B.', 'B неверно.', 'B не является правильным ответом.', 'Это не B.'],
    takesBack: ['Ответ: A. Нет, C.', 'Сначала я думал, что ответ A, но это C.', 'A. Точнее, C.'],
    several: ['Ответ: A или B', 'Ответ: A и B'],
  },
  ukrainian: {
    states: ['Відповідь: B', 'B правильна.', 'Правильна відповідь — B.'],
    denies: ['Відповідь не B.', 'B неправильна.', 'B не є правильною відповіддю.'],
    takesBack: ['Відповідь: A. Ні, C.', 'A. Точніше, C.'],
    several: ['Відповідь: A або B'],
  },
  bulgarian: {
    states: ['Отговорът е B.', 'Отговор: B', 'B е вярно.'],
    denies: ['Отговорът не е B.', 'B е грешен отговор.', 'B не е верният отговор.'],
    takesBack: ['Отговор: A. Не, C.', 'A. Всъщност C.'],
    several: ['Отговорът е A или B.'],
  },
  greek: {
    states: ['Η απάντηση είναι B.', 'Το B είναι σωστό.', 'Η σωστή απάντηση είναι το B.'],
    denies: ['Η απάντηση δεν είναι B.', 'Το B είναι λάθος.', 'Το B δεν είναι η σωστή απάντηση.', 'Όχι B.'],
    takesBack: ['Απάντηση: A. Όχι, C.', 'Νόμιζα ότι η απάντηση είναι A, αλλά είναι C.', 'A. Περίμενε, C.'],
    several: ['Η απάντηση είναι A ή B.', 'Απάντηση: A και B'],
  },
  turkish: {
    states: ['Cevap: B', 'B doğrudur.', 'Doğru cevap B.'],
    denies: ['Cevap B değil.', 'B yanlış.', 'B doğru cevap değil.', 'B seçeneği hatalı.'],
    takesBack: ['Cevap: A. Hayır, C.', 'A. Aslında C.'],
    several: ['Cevap: A veya B', 'Cevap: A ve B'],
  },
  indonesian: {
    states: ['Jawaban: B', 'Jawabannya adalah B.', 'B benar.'],
    denies: ['Jawabannya bukan B.', 'B salah.', 'B bukan jawaban yang benar.', 'B tidak benar.'],
    takesBack: ['Jawaban: A. Maaf, C.', 'A. Sebenarnya C.'],
    several: ['Jawabannya adalah A atau B.', 'Jawaban: A dan B'],
  },
  vietnamese: {
    states: ['Đáp án: B', 'Đáp án là B.', 'B đúng.'],
    denies: ['Đáp án không phải là B.', 'B sai.', 'B không đúng.', 'B không phải là đáp án.'],
    takesBack: ['Đáp án: A. Không, C.', 'A. Thực ra, C.'],
    several: ['Đáp án là A hoặc B.', 'Đáp án: A và B'],
  },
  arabic: {
    states: ['الإجابة: B', 'الإجابة هي B.', 'الإجابة الصحيحة هي B'],
    denies: ['الإجابة ليست B.', 'B خطأ.', 'B غير صحيحة.', 'B ليست الإجابة الصحيحة.'],
    takesBack: ['الإجابة: A. لا، C.', 'A. في الواقع، C.'],
    several: ['الإجابة هي A أو B.'],
  },
  hebrew: {
    states: ['התשובה: B', 'התשובה היא B.', 'התשובה הנכונה היא B'],
    denies: ['התשובה אינה B.', 'B שגויה.', 'B לא נכונה.', 'התשובה היא לא B.'],
    takesBack: ['התשובה: A. לא, C.', 'A. בעצם C.'],
    several: ['התשובה היא A או B.'],
  },
  persian: {
    states: ['پاسخ: B', 'پاسخ صحیح: B', 'گزینه B درست است.'],
    denies: ['پاسخ B نیست.', 'B غلط است.', 'گزینه B نادرست است.', 'B درست نیست.'],
    takesBack: ['پاسخ: A. نه، C.', 'A. در واقع C.'],
    several: ['پاسخ A یا B است.'],
  },
  urdu: {
    states: ['جواب: B', 'درست جواب: B'],
    denies: ['جواب B نہیں ہے۔', 'B غلط ہے۔', 'B درست نہیں ہے۔'],
    takesBack: ['جواب: A. نہیں، C.', 'A. دراصل C.'],
    several: ['جواب: A یا B'],
  },
  hindi: {
    states: ['उत्तर: B', 'सही उत्तर B है।', 'विकल्प B सही है।'],
    denies: ['उत्तर B नहीं है।', 'B गलत है।', 'विकल्प B सही नहीं है।'],
    takesBack: ['उत्तर: A. नहीं, C.', 'A. दरअसल C.'],
    several: ['उत्तर: A या B', 'उत्तर A और B हैं।'],
  },
  bengali: {
    states: ['উত্তর: B', 'সঠিক উত্তর হল B।'],
    denies: ['উত্তর B নয়।', 'B ভুল।', 'B সঠিক নয়।'],
    takesBack: ['উত্তর: A. না, C.', 'A. আসলে C.'],
    several: ['উত্তর: A বা B'],
  },
  tamil: {
    states: ['பதில்: B', 'சரியான பதில்: B'],
    denies: ['பதில் B அல்ல.', 'B தவறு.', 'B சரியல்ல.'],
    takesBack: ['பதில்: A. இல்லை, C.', 'A. உண்மையில் C.'],
    several: ['பதில்: A அல்லது B'],
  },
  swahili: {
    states: ['Jibu: B', 'Jibu ni B.', 'Jibu sahihi ni B.'],
    denies: ['Jibu si B.', 'B si sahihi.', 'B sio jibu.'],
    takesBack: ['Jibu: A. Hapana, C.', 'A. Samahani, C.'],
    several: ['Jibu ni A au B.'],
  },
  filipino: {
    states: ['Sagot: B', 'Ang sagot ay B.', 'Ang tamang sagot ay B.'],
    denies: ['Ang sagot ay hindi B.', 'Mali ang B? Hindi B.', 'B ay mali.'],
    takesBack: ['Sagot: A. Hindi, C.', 'A. Teka, C.'],
    several: ['Ang sagot ay A o B.'],
  },
  chinese: {
    states: ['答案是B。', 'B是正确的。', '正确答案：B', '所以选B'],
    denies: ['答案不是B。', 'B是错误的。', 'B选项不正确。', '并非B', '如果选B', 'B看似是干扰项'],
    takesBack: ['答案：A。不对，应该是C。', '起初我以为是A，但答案是C。', '答案是A。等等，C。'],
    several: ['答案是A或B。', '答案：A和B', '答案是A、B'],
  },
  japanese: {
    states: ['答えはBです。', 'Bが正解です。', '正解：B'],
    denies: ['答えはBではありません。', 'Bは間違いです。', 'Bは正しくない。', 'B以外です。'],
    takesBack: ['答え：A。いや、Cです。', '最初はAだと思いましたが、答えはCです。', '答えはA。訂正：C'],
    several: ['答えはAかBです。', '答え：AとB', '答えはAまたはBです。'],
  },
  korean: {
    states: ['정답은 B입니다.', 'B가 정답입니다.', '답: B'],
    denies: ['정답은 B가 아닙니다.', 'B는 틀렸습니다.', 'B는 오답입니다.'],
    takesBack: ['정답: A. 아니요, C.', '처음에는 A라고 생각했지만 정답은 C입니다.', '답: A. 정정합니다, C.'],
    several: ['정답은 A 또는 B입니다.', '정답: A와 B'],
  },
  thai: {
    states: ['คำตอบคือ B', 'ตอบ B', 'ข้อ B ถูกต้อง'],
    denies: ['คำตอบไม่ใช่ B', 'ข้อ B ผิด', 'B ไม่ถูกต้อง'],
    takesBack: ['คำตอบ: A. ไม่, C.', 'คำตอบคือ A. เดี๋ยว, C.'],
    several: ['คำตอบคือ A หรือ B'],
  },
  lao: {
    states: ['ຄຳຕອບແມ່ນ B'],
    denies: ['ຄຳຕອບບໍ່ແມ່ນ B', 'B ຜິດ'],
    takesBack: ['ຄຳຕອບ: A. ຂໍໂທດ, C.'],
    several: ['ຄຳຕອບແມ່ນ A ຫຼື B'],
  },
  khmer: {
    states: ['ចម្លើយគឺ B'],
    denies: ['ចម្លើយមិនមែនជា B', 'B ខុស'],
    takesBack: ['ចម្លើយ: A. សូមទោស, C.'],
    several: ['ចម្លើយគឺ A ឬ B'],
  },
  burmese: {
    states: ['အဖြေမှာ B'],
    denies: ['အဖြေ B မဟုတ်ပါ', 'B မှားသည်'],
    takesBack: ['အဖြေ: A. မဟုတ်ဘူး, C.'],
    several: ['အဖြေမှာ A သို့မဟုတ် B'],
  },
}
