/**
 * Authors, or teachers, of the books in the vocabulary: the first name of each person with the first titles of the
 * books. It is needed because imported works may have no author.
 */
export const authorship: readonly (readonly [person: string, ...books: readonly string[]])[] = [
  [
    'Alter Rebbe',
    'Tanya',
    'Torah Or',
    'Likkutei Torah',
    'Shaar HaYichud VehaEmunah',
    'Iggeret HaTeshuvah',
    'Iggeret HaKodesh',
    'Kuntres Acharon',
  ],
  ['Baal Shem Tov', 'Tzavaat HaRivash', 'Keter Shem Tov'],
  ['Maggid of Mezritch', 'Maggid Devarav LeYaakov'],
  ['Rebbe Nachman', 'Likutei Moharan', 'Sippurei Maasiyot', 'Sichot HaRan', 'Sefer HaMidot'],
  ['Natan of Breslov', 'Likkutei Halakhot', 'Likkutei Etzot', 'Likkutei Tefillot', 'Chayei Moharan'],
  ['Levi Yitzchak of Berditchev', 'Kedushat Levi'],
  ['Elimelech of Lizhensk', 'Noam Elimelech'],
  ['Yaakov Yosef of Polonne', 'Toldot Yaakov Yosef', 'Ben Porat Yosef'],
  ['Menachem Nachum of Chernobyl', "Me'or Einayim"],
  ['Moshe Chaim Ephraim of Sudilkov', 'Degel Machaneh Ephraim'],
  ['Menachem Mendel of Vitebsk', 'Peri HaAretz'],
  ['Avraham Yehoshua Heschel', 'Ohev Yisrael'],
  ['Sefat Emet of Ger', 'Sefat Emet'],
  ['Izhbitzer Rebbe', 'Mei HaShiloach'],
  ['Piaseczno Rebbe', 'Esh Kodesh', 'Chovat HaTalmidim'],
  ['Tzemach Tzedek', 'Derekh Mitzvotekha'],
  ['Tzvi Elimelekh of Dinov', 'Bnei Yissaschar'],
  ['Lubavitcher Rebbe', 'Likkutei Sichot'],
]
