/** Spellings of a town after which masters are called; `;` separates the items of each list. */
export type Town = {
  /** In Latin letters, as in `of Berditchev`. */
  readonly en: string
  /** In Hebrew letters, without the מ of `מברדיטשוב`. */
  readonly he: string
  /** Names of the master after the town, in both scripts: `Berditchever`. */
  readonly masters: string
}

/** Towns of chassidic masters, in the spellings of Hebrew, Yiddish, Polish and academic books. */
export const towns = {
  mezritch: {
    en: 'Mezritch; Mezeritch; Mezerich; Mezhirech; Mezhirichi; Mezrich; Miedzyrzec; Mezeritz',
    he: "מזריטש; מעזריטש; מעזעריטש; מזריץ; מזריטץ'; מז'ריץ'; מזריץ'; מעזריץ",
    masters: 'Mezritcher; מעזריטשער',
  },
  liadi: {
    en: 'Liadi; Lyady; Liady; Ladi; Lodi; Liozna; Liozhna',
    he: 'ליאדי; לאדי; ליאדע; לאדע; ליאזנא; ליאזנה',
    masters: 'Liadier',
  },
  breslov: {
    en: 'Breslov; Bratslav; Braslav; Breslev; Bratzlav',
    he: 'ברסלב; ברעסלב; ברעסלאוו; ברסלאב; ברסלוב',
    masters: 'Bratslaver; Breslover; ברעסלאווער',
  },
  berditchev: {
    en: 'Berditchev; Berdichev; Berdichov; Berdychiv; Barditchev; Berdyczow',
    he: "ברדיטשוב; ברדיטשב; ברדיטשוו; בארדיטשוב; בארדיטשעוו; ברדיצ'ב; ברדיצ'וב; ברדיצב",
    masters: 'Berditchever; Barditchever; ברדיטשובער; ברדיטשובר; בארדיטשעווער',
  },
  lizhensk: {
    en: 'Lizhensk; Lizensk; Lyzhansk; Lezajsk; Lizhansk; Lejask; Lezhaysk',
    he: "ליזנסק; ליזענסק; ליזעינסק; ליז'נסק; ליזשענסק",
    masters: 'Lizhensker; ליזענסקער',
  },
  polonne: {
    en: 'Polonne; Polnoye; Polonnoye; Polnoe; Polna; Polonoye',
    he: 'פולנאה; פולנאי; פולאנאה; פולנה; פולנא; פאלנאה',
    masters: 'Polonner',
  },
  nemirov: {
    en: 'Nemirov; Nemyriv; Niemirow',
    he: 'נמירוב; נעמירוב',
    masters: 'Nemirover',
  },
  chernobyl: {
    en: 'Chernobyl; Tchernobyl; Tchernobil; Chernobil; Czernobyl',
    he: "טשרנוביל; צ'רנוביל; צרנוביל; טשערנאביל; טשערנוביל",
    masters: 'Chernobyler; Tchernobiler; טשערנאבילער',
  },
  anipoli: {
    en: 'Anipoli; Hanipol; Anapol; Annopol; Hannopil; Hanipoli',
    he: 'אניפולי; האניפולי; אניפאלי; הניפולי; אנאפולי; אניפול; האניפאלי',
    masters: 'Anipoler',
  },
  vitebsk: {
    en: 'Vitebsk; Vitebks; Witebsk; Horodok; Horodock',
    he: 'ויטבסק; וויטבסק; וויטעבסק; ויטעפסק; הורודוק; האראדאק',
    masters: 'Vitebsker; Horodoker',
  },
  karlin: {
    en: 'Karlin',
    he: 'קרלין; קארלין',
    masters: 'Karliner; קארלינער',
  },
  koretz: {
    en: 'Koretz; Korets; Korzec; Koritz',
    he: 'קוריץ; קארעץ; קאריץ; קורץ',
    masters: 'Koretzer; Koritzer',
  },
  lublin: {
    en: 'Lublin',
    he: 'לובלין',
    masters: 'Lubliner; לובלינער',
  },
  kozhnitz: {
    en: 'Kozhnitz; Kozienice; Koznitz; Kozhenitz; Kozenitz; Kozhnits',
    he: "קוז'ניץ; קוזניץ; קאזניץ; קאזשניץ; קוזיניץ; קוזעניץ",
    masters: 'Kozhnitzer; Kozienicer; קאזשניצער',
  },
  apt: {
    en: 'Apt; Apta; Opatow; Opatov',
    he: 'אפטא; אפטה; אפט; אפאטוב',
    masters: 'Apter; אפטער',
  },
  peshischa: {
    en: 'Peshischa; Pshischa; Przysucha; Pshiskhe; Pshischah; Peshischah; Parshischa; Pshis',
    he: 'פשיסחא; פשיסחה; פרשיסחא; פרשיסחה; פשיסכא; פשיסכה',
    masters: 'Peshischer; Pshischer',
  },
  kotzk: {
    en: 'Kotzk; Kock; Kotsk',
    he: 'קוצק; קאצק',
    masters: 'Kotzker; Kotsker; קאצקער; קוצקר',
  },
  ger: {
    en: 'Ger; Gur; Gora Kalwaria; Gora Kalvaria',
    he: 'גור; גער; גורא',
    masters: 'Gerrer; Gerer; Gurer; גערער',
  },
  izhbitz: {
    en: 'Izhbitz; Izhbitza; Izbica; Izbitz; Ishbitz; Izbitza',
    he: "איזביצא; איזביצה; איזשביצא; איז'ביצא; אישביצא",
    masters: "Izhbitzer; Ishbitzer; Izbicer; איזשביצער; איז'ביצר",
  },
  lubavitch: {
    en: 'Lubavitch; Lyubavichi; Lubavich; Libavitch; Lubavits; Liubavichi',
    he: "ליובאוויטש; לובביץ; ליובביץ; ליבאוויטש; ליובאוויץ; לובביץ'; ליובביץ'; ליובאויטש",
    masters: 'Lubavitcher; Libavitcher; ליובאוויטשער; ליבאוויטשער',
  },
  piaseczno: {
    en: 'Piaseczno; Piasetzna; Piasetzno; Piaseczna; Piasetsna; Piasechna; Piaczezna',
    he: "פיאסצנה; פיאסצנא; פיאסצ'נה; פיאסעצנא; פיאסעצנע; פיאסצנו",
    masters: 'Piasetzner; Piaseczner; Piasetsner; פיאסעצנער',
  },
  sudilkov: {
    en: 'Sudilkov; Sudylkow; Sudilkow; Sudylkiv',
    he: 'סדילקוב; סודילקוב; סידילקוב; סאדילקוב; סדילקאב',
    masters: 'Sudilkover',
  },
  mezhbizh: {
    en: `Medzhybizh; Mezhbizh; Medzhibozh; Mezhibuzh; Mezibuz; Miedzyboz; Mezhibozh; Mezbizh;
      Medzibozh`,
    he: "מז'יבוז'; מזיבוז; מזיבוזש; מעזיבוז; מעזיבוזש; מעזבוזש; מדזיבוז; מז'בוז'",
    masters: 'Mezhbizher; Mezhibuzher; Mezibuzher; מעזיבוזשער',
  },
  ruzhin: {
    en: 'Ruzhin; Rizhin; Ruzin; Rozhin; Rizin; Ruzhyn',
    he: "רוז'ין; רוזין; ריזין; רוזשין; ריזשין; ריז'ין",
    masters: 'Ruzhiner; Rizhiner; Rozhiner; ריזשינער; רוזשינער',
  },
  nikolsburg: {
    en: 'Nikolsburg; Nicholsburg; Nikelsburg; Nicolsburg; Mikulov',
    he: 'ניקלשבורג; ניקלשפורג; ניקאלסבורג; ניקולשבורג; ניקלסבורג',
    masters: 'Nikolsburger',
  },
  rymanov: {
    en: 'Rymanov; Rimanov; Riminov; Rymanow; Rimanow; Riminow',
    he: 'רימנוב; רימינוב; רימאנוב; רימאנאוו; ריםנוב',
    masters: 'Rymanover; Rimanover; Riminover; רימנובער; רימאנאווער; רימנובר; רימינובר',
  },
  dinov: {
    en: 'Dinov; Dynow; Dinow; Dynov',
    he: 'דינוב; דינאב; דינאוו; דינאוב',
    masters: 'Dinover; דינובער; דינאווער; דינובר',
  },
  zlotchov: {
    en: 'Zlotchov; Zolochiv; Zloczow; Zlotshov; Zolochev; Zlochov',
    he: "זלוטשוב; זלאטשוב; זלוצ'וב; זלאטשאוו",
    masters: 'Zlotchover; זלאטשאווער',
  },
  savran: {
    en: 'Savran',
    he: 'סאווראן; סברן; סווראן',
    masters: 'Savraner',
  },
  strelisk: {
    en: 'Strelisk; Strzeliska; Strelisker',
    he: 'סטרעליסק; סטרליסק',
    masters: 'Strelisker; סטרעליסקער',
  },
  ropshitz: {
    en: 'Ropshitz; Ropczyce; Ropshits; Ropczytz',
    he: 'רופשיץ; ראפשיץ; רופצ׳יץ',
    masters: 'Ropshitzer; ראפשיצער',
  },
  zhidachov: {
    en: 'Zhidachov; Zidichov; Zhydachiv; Zydaczow; Ziditchov; Zhidichov',
    he: "זידיטשוב; זידיטשויב; זידיצ'וב; זידיטשאוו",
    masters: 'Zhidachover; Ziditchover; Zidichover; זידיטשובער',
  },
  komarno: {
    en: 'Komarno; Komarna',
    he: 'קאמארנא; קומרנה; קומרנא; קאמרנא',
    masters: 'Komarner; קאמארנער',
  },
  tzanz: {
    en: 'Tzanz; Sanz; Zanz; Nowy Sacz; Tsanz',
    he: 'צאנז; צנז; סאנז',
    masters: 'Sanzer; Tzanzer; Zanzer; צאנזער',
  },
  belz: {
    en: 'Belz; Beltz',
    he: 'בעלז; בלז; בעלזא',
    masters: 'Belzer; בעלזער',
  },
  vizhnitz: {
    en: 'Vizhnitz; Viznitz; Vyzhnytsia; Wiznitz',
    he: "ויז'ניץ; ויזניץ; וויזניץ; וויזשניץ",
    masters: 'Vizhnitzer; וויזשניצער',
  },
  vorki: {
    en: 'Vorki; Vurka; Warka; Vorka; Vurke',
    he: 'וורקא; ווארקא; וורקי; ורקה',
    masters: 'Vurker; ווארקער',
  },
  alexander: {
    en: 'Aleksandrow; Aleksander',
    he: 'אלכסנדר; אלעקסאנדר',
    masters: 'Aleksanderer; אלעקסאנדערער',
  },
  satmar: {
    en: 'Satmar; Satu Mare; Szatmar',
    he: 'סאטמאר; סאטמר; סטמר',
    masters: 'Satmarer; סאטמארער',
  },
  munkatch: {
    en: 'Munkatch; Munkacs; Munkacz; Munkatsh; Mukachevo',
    he: 'מונקאטש; מונקטש; מונקאץ',
    masters: 'Munkatcher; Munkacser; מונקאטשער',
  },
  radomsk: {
    en: 'Radomsk; Radomsko',
    he: 'ראדאמסק; רדומסק; ראדומסק',
    masters: 'Radomsker; ראדאמסקער',
  },
  slonim: {
    en: 'Slonim',
    he: 'סלונים; סלאנים',
    masters: 'Slonimer; סלאנימער',
  },
  kobrin: {
    en: 'Kobrin; Kobryn',
    he: 'קוברין; קאברין',
    masters: 'Kobriner; קאברינער',
  },
  lechovitz: {
    en: 'Lechovitz; Lachowicze; Lekhovitz; Lyakhavichy',
    he: 'לכוביץ; לעכאוויץ; לעכוביץ',
    masters: 'Lechovitzer; לעכאוויצער',
  },
  strashelye: {
    en: 'Strashelye; Staroselye; Starosselje; Strasheli; Strashelia',
    he: 'סטראשעליע; סטרשלה; סטראסלי; סטאראסעליע',
    masters: 'Strashelyer',
  },
  kalisk: {
    en: 'Kalisk; Kaliski; Kalisker',
    he: 'קליסק; קאליסק; קולישק',
    masters: 'Kalisker',
  },
  skvere: {
    en: 'Skver; Skvere; Skvira',
    he: 'סקווירא; סקווער; סקוירא',
    masters: 'Skverer; סקווערער',
  },
  tchortkov: {
    en: 'Tchortkov; Chortkov; Czortkow',
    he: "טשורטקוב; צ'ורטקוב; טשארטקאוו",
    masters: 'Tchortkover; Chortkover; טשארטקאווער',
  },
  sadigura: {
    en: 'Sadigura; Sadagora; Sadigora',
    he: 'סאדיגורא; סדיגורה; סאדיגורה',
    masters: 'Sadigurer',
  },
  kitov: {
    en: 'Kitov; Kuty; Kitev; Kutov',
    he: 'קיטוב; קוטוב',
    masters: 'Kitover',
  },
  neschiz: {
    en: 'Neschiz; Neshchiz; Neskhiz',
    he: 'נעסכיז; נסכיז',
    masters: 'Neschizer; Neshchizer',
  },
  hornosteipel: {
    en: 'Hornosteipel; Hornosteypel',
    he: 'הורנוסטייפל; הארנאסטייפל',
    masters: 'Hornosteipler',
  },
  premishlan: {
    en: 'Premishlan; Przemyslany; Premishlyan',
    he: 'פרמישלאן; פרעמישלאן; פרימישלאן',
    masters: 'Premishlaner; פרעמישלאנער',
  },
} as const satisfies Readonly<Record<string, Town>>

export type TownName = keyof typeof towns
