import type { Person } from './person.ts'

/** Masters of Poland, Galicia and Hungary, and of Slonim. */
export const polishMasters: readonly Person[] = [
  {
    names: `Seer of Lublin; Chozeh; Chozeh MiLublin; Yaakov Yitzchak Horowitz; Jacob Isaac Horowitz;
      החוזה מלובלין; יעקב יצחק הורביץ; יעקב יצחק הורוביץ; יעקב יצחק הלוי הורביץ`,
    given: 'Seer; Chozeh; Hozeh; Khozeh; Yaakov Yitzchak; Jacob Isaac; Rebbe; חוזה; רואה; יעקב יצחק; רבי',
    towns: ['lublin'],
    isMaster: true,
  },
  {
    names: `Tzadok HaKohen; Zadok HaKohen; Tzadok Rabinowitz; Reb Tzadok; Rabbi Tzadok; Rav Tzadok;
      צדוק הכהן; רבי צדוק; ר' צדוק; צדוק הכהן רבינוביץ`,
    given: 'Tzadok; Tzadok HaKohen; Zadok; Tzodok; Kohen; צדוק; צדוק הכהן; כהן',
    towns: ['lublin'],
  },
  {
    names: `Maggid of Kozhnitz; Yisrael Hopstein; Israel Hopstein; Yisrael Hopsztajn; Yisroel Hopstein;
      ישראל הופשטיין; ישראל הופשטין; בעל עבודת ישראל`,
    given: 'Maggid; Yisrael; Israel; Yisroel; Holy Maggid; מגיד; ישראל; מגיד הקדוש',
    towns: ['kozhnitz'],
    isMaster: true,
  },
  {
    names: `Avraham Yehoshua Heschel; Yehoshua Heschel of Apt; Avraham Yehoshua Heshel; Apter Rav;
      Apta Rav; Apter Rov; Ohev Yisrael of Apt; Baal Ohev Yisrael; אברהם יהושע העשל; אברהם יהושע העשיל;
      אברהם יהושע השל; הרב מאפטא; בעל אוהב ישראל; אפטער רב`,
    given: `Yehoshua Heschel; Avraham Yehoshua Heschel; Avrohom Yehoshua Heshel; Joshua Heschel; Rav;
      אברהם יהושע העשל; יהושע העשל; יהושע השל; רב`,
    towns: ['apt'],
    isMaster: true,
  },
  {
    names: `Holy Jew; Yehudi HaKadosh; Yid HaKadosh; Heiliger Yid; Heilige Yid;
      Yaakov Yitzchak Rabinowicz; היהודי הקדוש; יהודי הקדוש; היהודי מפשיסחא; הייליגער ייד; הייליקער ייד;
      הייליגער יוד; יעקב יצחק רבינוביץ`,
    given: 'Holy Jew; Yehudi; Yid; Yaakov Yitzchak; Jacob Isaac; יהודי; יהודי הקדוש; יעקב יצחק; ייד',
    towns: ['peshischa'],
  },
  {
    names: `Simcha Bunim; Simchah Bunim; Simha Bunem; Reb Bunim; Rebbe Simcha Bunim; Bunem Bonhart;
      שמחה בונים; שמחה בונם; רבי בונים`,
    given: 'Simcha Bunim; Simcha Bunem; Simha Bunim; Bunim; Bunem; שמחה בונים; שמחה בונם; בונים; בונם',
    towns: ['peshischa'],
    isMaster: true,
  },
  {
    names: `Kotzker Rebbe; Kotzker; Menachem Mendel Morgensztern; Menachem Mendel Morgenstern;
      מנחם מנדל מורגנשטרן; שרף מקוצק; השרף מקוצק`,
    given: 'Menachem Mendel; Menahem Mendel; Mendel; מנחם מנדל; מנחם מענדל; מענדל; מנדל; מענדעלע; שרף',
    towns: ['kotzk'],
    isMaster: true,
  },
  {
    names: `Chiddushei HaRim; Chidushei HaRim; Hiddushei HaRim; Chidushei HoRim; Yitzchak Meir Alter;
      Yitzchok Meir Alter; Isaac Meir Alter; Itche Meir; חידושי הרי"ם; חדושי הרי"ם; בעל חידושי הרי"ם;
      יצחק מאיר אלתר; ריעל"מ; איטשע מאיר`,
    given: 'Yitzchak Meir; Isaac Meir; Yitzchok Meir; יצחק מאיר',
    towns: ['ger'],
  },
  {
    names: `Sefat Emet of Ger; Yehuda Aryeh Leib Alter; Judah Leib Alter; Yehudah Leib Alter;
      Aryeh Leib Alter; Baal HaSefat Emet; Baal Sfas Emes; Second Gerrer Rebbe; בעל השפת אמת; בעל שפת אמת;
      יהודה אריה ליב אלתר; יהודה ליב אלתר`,
    given: `Sefat Emet; Sfas Emes; Yehuda Aryeh Leib; Yehudah Leib; Judah Aryeh Leib; יהודה אריה ליב;
      יהודה אריה לייב; שפת אמת`,
    towns: ['ger'],
    isMaster: true,
  },
  {
    names: `Izhbitzer Rebbe; Izhbitzer; Mordechai Yosef Leiner; Mordecai Joseph Leiner;
      Mordechai Leiner; Baal Mei HaShiloach; בעל מי השילוח; בעל מי השלוח; מרדכי יוסף ליינר;
      מרדכי יוסף לינר`,
    given: 'Mordechai Yosef; Mordecai Joseph; Mordechai; מרדכי יוסף; מרדכי',
    towns: ['izhbitz'],
    isMaster: true,
  },
  {
    names: `Piaseczno Rebbe; Piasetzna Rebbe; Kalonymus Kalman Shapira; Kalonymus Kalmish Shapira;
      Kalonymos Kalmish; Kalonymus Shapiro; Rebbe of the Warsaw Ghetto; Aish Kodesh; Baal Esh Kodesh;
      קלונימוס קלמיש; קלונימוס קלמן שפירא; קלונימוס קלמיש שפירא; בעל אש קודש; אדמו"ר מפיאסצנה`,
    given: `Kalonymus Kalman; Kalonymus Kalmish; Kalonymus; Kalonymos; קלונימוס קלמן; קלונימוס קלמיש;
      קלונימוס`,
    towns: ['piaseczno'],
    isMaster: true,
  },
  {
    names: 'Menachem Mendel of Rymanov; Mendel of Rymanov; Rymanover',
    given: `Menachem Mendel; Menahem Mendel; Mendel; Mendele; מנחם מנדל; מנחם מענדל; מענדל; מענדעלע;
      מנדל`,
    towns: ['rymanov'],
    isMaster: true,
  },
  {
    names: `Tzvi Elimelekh of Dinov; Tzvi Elimelech Spira; Tzvi Elimelech Shapira;
      Zvi Elimelech Shapiro; Baal Bnei Yissaschar; Bnei Yissaschar of Dinov; צבי אלימלך שפירא;
      בעל בני יששכר; בעל הבני יששכר`,
    given: `Tzvi Elimelech; Tzvi Elimelekh; Zvi Elimelech; Tzvi Hirsh Elimelech; צבי אלימלך;
      צבי הירש אלימלך`,
    towns: ['dinov'],
    isMaster: true,
  },
  {
    names: 'Uri of Strelisk; Seraph of Strelisk; Uri the Seraph',
    given: 'Uri; Seraph; אורי; שרף',
    towns: ['strelisk'],
    isMaster: true,
  },
  {
    names: 'Naftali of Ropshitz; Naftali Tzvi Horowitz; נפתלי צבי הורביץ',
    given: 'Naftali; Naftali Tzvi; נפתלי; נפתלי צבי',
    towns: ['ropshitz'],
    isMaster: true,
  },
  {
    names: 'Tzvi Hirsh of Zhidachov; Hirsh of Zhidachov; צבי הירש איכנשטיין',
    given: 'Tzvi Hirsh; Zvi Hirsch; Hirsh; צבי הירש; הירש',
    towns: ['zhidachov'],
    isMaster: true,
  },
  {
    names: `Isaac of Komarno; Yitzchak Isaac Safrin; Yitzchak Eizik Safrin; יצחק אייזיק ספרין;
      יצחק יהודה יחיאל ספרין`,
    given: 'Yitzchak Isaac; Yitzchak Eizik; Isaac; יצחק אייזיק; יצחק יהודה יחיאל',
    towns: ['komarno'],
    isMaster: true,
  },
  {
    names: `Divrei Chaim; Chaim Halberstam; Hayyim Halberstam; Divrei Chayim; דברי חיים; חיים הלברשטאם;
      חיים הלברשטם; בעל דברי חיים`,
    given: 'Chaim; Hayyim; Chayim; חיים',
    towns: ['tzanz'],
    isMaster: true,
  },
  {
    names: 'Shalom of Belz; Sar Shalom; Sholom Rokeach; Shalom Rokeach; שר שלום; שלום רוקח',
    given: 'Shalom; Sholom; Sar Shalom; שלום; שר שלום',
    towns: ['belz'],
    isMaster: true,
  },
  {
    names: 'Yitzchak of Vorki; Isaac Kalish; יצחק קאליש',
    given: 'Yitzchak; Isaac; Yitzchok; יצחק',
    towns: ['vorki'],
    isMaster: true,
  },
  {
    names: 'Shlomo of Radomsk; Tiferet Shlomo; Tiferes Shlomo; שלמה רבינוביץ; תפארת שלמה',
    given: 'Shlomo; Solomon; שלמה',
    towns: ['radomsk'],
    isMaster: true,
  },
  {
    names: 'Joel Teitelbaum; Yoel Teitelbaum; Divrei Yoel; יואל טייטלבוים; דברי יואל',
    given: 'Yoel; Joel; יואל',
    towns: ['satmar'],
    isMaster: true,
  },
  {
    names: `Minchat Elazar; Minchas Elazar; Chaim Elazar Spira; Chaim Elazar Shapira; מנחת אלעזר;
      חיים אלעזר שפירא`,
    given: 'Chaim Elazar; Chayim Elazar; חיים אלעזר',
    towns: ['munkatch'],
    isMaster: true,
  },
  {
    names: 'Sholom Noach Berezovsky; Netivot Shalom; Nesivos Sholom; שלום נח ברזובסקי; נתיבות שלום',
    given: 'Shalom Noach; Sholom Noach; שלום נח',
    towns: ['slonim'],
  },
  {
    names: 'Moshe of Kobrin',
    given: 'Moshe; Moses; משה',
    towns: ['kobrin'],
    isMaster: true,
  },
  {
    names: 'Meir of Premishlan; Meirl of Premishlan',
    given: 'Meir; Meirl; מאיר',
    towns: ['premishlan'],
    isMaster: true,
  },
]
