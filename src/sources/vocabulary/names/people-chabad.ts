import type { Person } from './person.ts'

/** Leaders of Chabad after its founder, and their circle. */
export const chabadMasters: readonly Person[] = [
  {
    names: `Mitteler Rebbe; Miteler Rebbe; Mittler Rebbe; Middle Rebbe; Second Lubavitcher Rebbe;
      Dov Ber Schneuri; DovBer Schneuri; Dovber Shneuri; Dov Ber Shneuri; Admor HaEmtzai; Admur HaEmtzoi;
      אדמו"ר האמצעי; אדמור האמצעי; אדהאמ"צ; אדמוהאמ"צ; אדהאמצ"ע; מיטעלער רבי; מיטלער רבי; מיטעלער רבין;
      מיטעלער רעבי; דער מיטעלער רבי; דוב בער שניאורי; דובער שניאורי; דב בער שניאורי`,
    given: 'Dov Ber; Dovber; Dov Baer; דובער; דוב בער; דב בער',
    towns: ['lubavitch'],
  },
  {
    names: `Tzemach Tzedek; Tzemach Tzedek of Lubavitch; Zemah Zedek; Zemach Zedek; Tsemakh Tsedek;
      Third Lubavitcher Rebbe; צמח צדק; צ"צ; אדמו"ר הצמח צדק; אדמו"ר הצ"צ`,
    given: 'Menachem Mendel; Menahem Mendel; Mendel; מנחם מנדל; מנחם מענדל; מענדל',
    towns: ['lubavitch'],
  },
  {
    names: `Rebbe Maharash; Maharash; Shmuel Schneersohn; Fourth Lubavitcher Rebbe; מהר"ש; אדמו"ר מהר"ש;
      שמואל שניאורסון`,
    given: 'Shmuel; Samuel; שמואל',
    towns: ['lubavitch'],
  },
  {
    names: `Rebbe Rashab; Rashab; Shalom Dov Ber Schneersohn; Sholom Dovber Schneersohn; Sholom DovBer;
      Shalom Dovber Schneerson; Fifth Lubavitcher Rebbe; רש"ב; אדמו"ר הרש"ב; אדמו"ר מוהרש"ב; מוהרש"ב;
      שלום דובער; שלום דוב בער; שלום דובער שניאורסון; אדנ"ע`,
    given: 'Shalom Dov Ber; Sholom Dovber; שלום דובער; שלום דוב בער',
    towns: ['lubavitch'],
  },
  {
    names: `Frierdiker Rebbe; Friediker Rebbe; Previous Rebbe; Previous Lubavitcher Rebbe; Rebbe Rayatz;
      Rayatz; Rebbe Rayatz of Lubavitch; Yosef Yitzchak Schneersohn; Yosef Yitzchok Schneersohn;
      Joseph Isaac Schneersohn; Yosef Yitzchak Schneerson; Sixth Lubavitcher Rebbe; ריי"צ; אדמו"ר הריי"צ;
      אדמו"ר מוהריי"צ; מוהריי"צ; פריערדיקער רבי; פריערדיגער רבי; פרידיקער רבי; יוסף יצחק שניאורסון;
      יוסף יצחק שניאורסאהן`,
    given: 'Yosef Yitzchak; Joseph Isaac; Yosef Yitzchok; יוסף יצחק',
    towns: ['lubavitch'],
  },
  {
    names: `Lubavitcher Rebbe; Menachem Mendel Schneerson; Menachem M. Schneerson;
      Menahem Mendel Schneerson; Seventh Lubavitcher Rebbe; מנחם מנדל שניאורסון; מנחם מענדל שניאורסאהן;
      מנחם מענדל שניאורסון; הרבי מליובאוויטש; ליובאוויטשער רבי; ליבאוויטשער רבי; כ"ק אדמו"ר מליובאוויטש`,
    towns: ['lubavitch'],
    isMaster: true,
  },
  {
    names: `Aharon HaLevi Horowitz; Aharon HaLevi; Aaron HaLevi Horowitz; אהרן הלוי הורוויץ;
      אהרן הלוי הורביץ; אהרן הלוי`,
    given: 'Aharon; Aharon HaLevi; Aaron; אהרן; אהרן הלוי',
    towns: ['strashelye'],
    isMaster: true,
  },
  {
    names: 'Hillel of Paritch; Hillel Paritcher; Hillel of Parichi; הלל מפאריטש; הלל מפריטש',
  },
]
