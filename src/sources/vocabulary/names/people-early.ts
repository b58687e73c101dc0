import type { Person } from './person.ts'

/** The Baal Shem Tov, the Maggid of Mezritch, and their circle and successors in the east. */
export const earlyMasters: readonly Person[] = [
  {
    names: `Baal Shem Tov; Ba'al Shem Tov; Besht; Israel Baal Shem; Yisrael Baal Shem Tov;
      Israel ben Eliezer; Yisrael ben Eliezer; Yisroel ben Eliezer; Rivash; בעש"ט; בש"ט; בעשט; בעל שם טוב;
      בעל שם; ישראל בעל שם טוב; ישראל בן אליעזר; ריב"ש; ריבעש"ט; באלשם`,
    given: 'Yisrael; Israel; Baal Shem Tov; Besht; בעל שם טוב; בעש"ט; ישראל',
    towns: ['mezhbizh'],
  },
  {
    names: `Maggid of Mezritch; The Maggid; Great Maggid; Maggid Gadol; Rav HaMaggid; Dov Ber ben Avraham;
      המגיד; הרב המגיד; רב המגיד; המגיד הגדול; מגיד הגדול; הה"מ; הרה"מ; ר"ב ממעזריטש; מגיד מישרים ממעזריטש`,
    given: 'Maggid; Dov Ber; Dov Baer; DovBer; Dovber; מגיד; דוב בער; דובער; דב בער',
    towns: ['mezritch'],
    isMaster: true,
  },
  {
    names: `Avraham HaMalakh; Abraham the Angel; Avraham the Angel; Avrohom HaMalach; אברהם המלאך;
      רבי אברהם המלאך`,
  },
  {
    names: `Yaakov Yosef of Polonne; Baal HaToldot; Baal HaToldos; Yaakov Yosef HaKohen; בעל התולדות;
      יעקב יוסף הכהן; רי"י מפולנאה`,
    given: 'Yaakov Yosef; Yaakov Yosef HaKohen; Jacob Joseph; Yakov Yosef; יעקב יוסף; יעקב יוסף הכהן',
    towns: ['polonne'],
    isMaster: true,
  },
  {
    names:
      'Pinchas of Koretz; Reb Pinchas; Reb Pinchas Koritzer; Pinchas Shapiro; Pinchas Shapira; פנחס שפירא',
    given: 'Pinchas; Pinhas; Phinehas; Pinchos; פנחס; פינחס',
    towns: ['koretz'],
    isMaster: true,
  },
  {
    names: 'Moshe Chaim Ephraim of Sudilkov; Baal HaDegel; Degel; בעל הדגל; בעל דגל מחנה אפרים',
    given: 'Moshe Chaim Ephraim; Moses Hayyim Ephraim; Ephraim; משה חיים אפרים; אפרים',
    towns: ['sudilkov'],
    isMaster: true,
  },
  {
    names: `Baruch of Medzhybizh; Reb Boruch; Reb Baruch; Reb Boruchl; Rebbe Boruchl; רבי ברוך'ל; רבי ברוכל`,
    given: 'Baruch; Boruch; Barukh; ברוך',
    towns: ['mezhbizh'],
    isMaster: true,
  },
  {
    names: 'Gershon of Kitov; Avraham Gershon',
    given: 'Gershon; Avraham Gershon; גרשון; אברהם גרשון',
    towns: ['kitov'],
  },
  {
    names: 'Yechiel Michel of Zlotchov; יחיאל מיכל מזלוטשוב',
    given: 'Yechiel Michel; Yehiel Mikhel; Michel; Maggid; יחיאל מיכל; מיכל; מגיד',
    towns: ['zlotchov'],
  },
  {
    names: `Alter Rebbe; Alte Rebbe; Altar Rebbe; Baal HaTanya; Baal ha-Tanya; author of the Tanya;
      Baal HaTanya VehaShulchan Aruch; Admor HaZaken; Admor HaZoken; Admur HaZaken; Old Rebbe; Rashaz;
      GRaZ; Schneur Zalman; Shneur Zalman ben Baruch; Shneur Zalman Baruchovitch;
      Shneur Zalman Schneersohn; First Lubavitcher Rebbe; אדמו"ר הזקן; אדמור הזקן; רבנו הזקן; רבינו הזקן;
      אדה"ז; אדמוה"ז; אדמוהז; אלטער רבי; אלטער רעבי; אלטער רבין; דער אלטער רבי; רש"ז; רשז"ל; גר"ז;
      בעל התניא; בעה"ת; בעל התניא והשו"ע; בעל התניא והשולחן ערוך; שניאור זלמן; שניאור זלמן בן ברוך;
      הרב מלאדי; הרב מליאדי`,
    given: 'Schneur Zalman; Shneor Zalman; Zalman; Rav; שניאור זלמן; שנ"ז; רב; זלמן',
    towns: ['liadi'],
    isMaster: true,
  },
  {
    names: `Levi Yitzchak of Berditchev; Rabbi Levi Yitzchak; Reb Levi Yitzchak; רבי לוי יצחק; ר' לוי יצחק; Levi Yitzchok ben Meir; Levi Isaac of Berdichev;
      Baal Kedushas Levi; Kedushas Levi of Berditchev; בעל קדושת לוי; בעל הקדושת לוי; סנגורם של ישראל; סניגורם של ישראל;
      סנגורן של ישראל; סניגורן של ישראל; Advocate of Israel; Defender of Israel; Saneigor shel Yisrael; Saneigoran shel Yisrael;
      לוי יצחק בן מאיר`,
    given: 'Levi Yitzchak; Levi Yitzchok; Levi Isaac; לוי יצחק',
    towns: ['berditchev'],
    isMaster: true,
  },
  {
    names: `Elimelech of Lizhensk; Rebbe Elimelech; Reb Elimelech; Rebbe Reb Melech; Reb Melech;
      Elimelech Weisblum; Reb Meilech; רבי מיילך; רבי מלך; הרבי ר' מיילך; Rabbi Elimelech; רבי אלימלך; הרבי אלימלך; ר' אלימלך; הרבי ר' אלימלך; הרר"א;
      בעל נועם אלימלך`,
    given: 'Elimelech; Elimelekh; Melech; אלימלך; מלך',
    towns: ['lizhensk'],
    isMaster: true,
  },
  {
    names: `Zusha of Anipoli; Zusha; Zusya; זושא; זוסיא; Meshulam Zusha; Reb Zusha; Rebbe Zusha; Rabbi Zusya; Reb Zishe;
      משולם זוסיא; משולם זושא; רבי זושא; ר' זושא; ר' זוסיא; הרבי זושא`,
    given: `Zusha; Zusya; Zushya; Zisha; Zishe; Meshulam Zusha; Meshullam Zusya; משולם זושא;
      משולם זוסיא; משולם זוסא; זושא; זוסיא; זוסא; זישא`,
    towns: ['anipoli'],
    isMaster: true,
  },
  {
    names: `Menachem Nachum of Chernobyl; Menachem Nachum Twersky; Nachum Twersky; Baal Meor Einayim;
      מנחם נחום טברסקי; בעל מאור עינים; בעל המאור עיניים`,
    given: 'Menachem Nachum; Menahem Nahum; Nachum; Nahum; מנחם נחום; נחום',
    towns: ['chernobyl'],
    isMaster: true,
  },
  {
    names: `Menachem Mendel of Vitebsk; Mendele of Vitebsk; Baal Peri HaAretz; בעל פרי הארץ;
      הרמ"מ מוויטבסק; רמ"מ מויטבסק`,
    given: `Menachem Mendel; Menahem Mendel; Mendel; Mendele; מנחם מנדל; מנחם מענדל; מענדל; מנדל;
      מענדעלע`,
    towns: ['vitebsk'],
    isMaster: true,
  },
  {
    names: 'Aharon of Karlin; Aharon the Great; Aaron the Great; Aharon HaGadol; אהרן הגדול',
    given: 'Aharon; Aaron; Ahron; Aharon the Great; Aharon HaGadol; אהרן; אהרון; אהרן הגדול; אהרון הגדול',
    towns: ['karlin'],
    isMaster: true,
  },
  {
    names: 'Shlomo of Karlin',
    given: 'Shlomo; Solomon; שלמה',
    towns: ['karlin'],
  },
  {
    names: 'Avraham of Kalisk',
    given: 'Avraham; Abraham; אברהם',
    towns: ['kalisk'],
  },
  {
    names: `Shmelke of Nikolsburg; Shmuel Shmelke; Shmuel Shmelke Horowitz; Reb Shmelke; Rebbe Shmelke;
      שמואל שמלקה; שמואל שמעלקא; שמואל שמלקא; ר' שמלקה; רבי שמלקה; רבי שמעלקא`,
    given: `Shmelke; Shmelka; Shmuel Shmelke; Samuel Shmelke; שמלקה; שמלקא; שמעלקא; שמעלקע; שמואל שמלקה;
      שמואל שמעלקא`,
    towns: ['nikolsburg'],
    isMaster: true,
  },
  {
    names: 'Mordechai of Neschiz; Motele of Neschiz',
    given: 'Mordechai; Motele; מרדכי',
    towns: ['neschiz'],
    isMaster: true,
  },
  {
    names: 'Mordechai of Lechovitz',
    given: 'Mordechai; מרדכי',
    towns: ['lechovitz'],
    isMaster: true,
  },
  {
    names: `Rebbe Nachman; Rabbi Nachman; Reb Nachman; Rebbe Nahman; Rabbi Nahman; Nachman ben Simcha;
      Moharan; Rabeinu Nachman; Baal Likutei Moharan; רבי נחמן; ר' נחמן; רבנו נחמן; רבינו נחמן; מוהר"ן;
      מוהרן; ר"נ מברסלב; הרבי מברסלב; נחמן בן שמחה; רביה"ק מברסלב`,
    given: 'Nachman; Nahman; Nochman; נחמן',
    towns: ['breslov'],
    isMaster: true,
  },
  {
    names: `Natan of Breslov; Rabbi Natan; Reb Noson; Reb Nosson; Reb Natan; Rabbi Nathan; Moharnat;
      Moharnas; Nathan Sternhartz; Noson Sternhartz; Natan Sternhartz; מוהרנ"ת; נתן שטרנהרץ; רבי נתן;
      ר' נתן מברסלב`,
    given: 'Natan; Nathan; Noson; Nosson; נתן',
    towns: ['breslov', 'nemirov'],
  },
  {
    names: 'Yisrael of Ruzhin; Israel Friedman; Yisrael Friedman; ישראל פרידמן',
    given: 'Yisrael; Israel; Yisroel; ישראל',
    towns: ['ruzhin'],
    isMaster: true,
  },
  {
    names: 'Mordechai of Chernobyl',
    given: 'Mordechai; מרדכי',
    towns: ['chernobyl'],
  },
]
