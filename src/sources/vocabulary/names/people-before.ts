import type { Person } from './person.ts'

/** People before the Baal Shem Tov who are named in chassidic books. */
export const earlierPeople: readonly Person[] = [
  {
    names: `Arizal; Ari; AriZal; Ari HaKadosh; Holy Ari; Lion of Safed; Isaac Luria; Yitzchak Luria;
      Yitzchok Luria; Isaac ben Solomon Luria; Rabbi Isaac Luria; האר"י; אר"י; אריז"ל; האריז"ל; ארי ז"ל;
      אר"י ז"ל; האר"י הקדוש; יצחק לוריא; יצחק לוריה`,
  },
  {
    names: `Chaim Vital; Chayim Vital; Hayyim Vital; Haim Vital; Maharchu; רח"ו; רחו"ו; מהרח"ו;
      חיים ויטאל; חיים ויטל; חיים וויטאל`,
  },
  {
    names: 'Ramak; Moshe Cordovero; Moses Cordovero; רמ"ק; משה קורדובירו; משה קורדוברו',
  },
  {
    names: 'Maharal; Maharal of Prague; Judah Loew; Yehuda Loew; מהר"ל; מהר"ל מפראג; יהודה ליווא',
  },
  {
    names: 'Ramchal; Moshe Chaim Luzzatto; Moses Hayyim Luzzatto; רמח"ל; משה חיים לוצאטו; משה חיים לוצטו',
  },
  {
    names: `Rambam; Maimonides; Moses Maimonides; Moshe ben Maimon; Moses ben Maimon;
      Moses son of Maimon; Maimuni; רמב"ם; משה בן מימון; רבי משה בן מימון; רבינו משה בן מימון;
      רבנו משה בן מימון; רמבם; נשר הגדול`,
  },
  {
    names: 'Ramban; Nachmanides; Nahmanides; Moshe ben Nachman; Moses ben Nahman; רמב"ן; משה בן נחמן',
  },
  {
    names: 'Rashi; Shlomo Yitzchaki; Solomon ben Isaac; רש"י; שלמה יצחקי',
  },
  {
    names: 'Rashba; Shlomo ben Aderet; רשב"א; שלמה בן אדרת',
  },
  {
    names: 'Asher ben Yechiel; אשר בן יחיאל',
  },
  {
    names: 'Ibn Ezra; Avraham ibn Ezra; Abraham ibn Ezra; ראב"ע; אבן עזרא; אברהם אבן עזרא',
  },
  {
    names: 'Raavad; ראב"ד',
  },
  {
    names: 'Saadia Gaon; Saadiah Gaon; Saadya Gaon; רס"ג; סעדיה גאון',
  },
  {
    names: 'Bahya ibn Paquda; Bachya ibn Pakuda; Bachya ben Yosef; בחיי אבן פקודה; בחיי בן יוסף',
  },
  {
    names: 'Yehuda Halevi; Judah Halevi; Yehudah HaLevi; ריה"ל; יהודה הלוי',
  },
  {
    names: `Shelah; Shelah HaKadosh; Shlah; Isaiah Horowitz; Yeshayahu Horowitz; של"ה הקדוש;
      ישעיה הורביץ`,
  },
  {
    names: 'Yosef Karo; Joseph Caro; Joseph Karo; יוסף קארו',
  },
  {
    names: 'Rema; Moshe Isserles; Moses Isserles; רמ"א; משה איסרליש',
  },
  {
    names: `Vilna Gaon; Gaon of Vilna; Gra; Elijah of Vilna; Eliyahu of Vilna; גר"א; הגאון מווילנא;
      גאון מוילנא; אליהו מווילנא; הגאון מוילנה`,
  },
  {
    names: "Chaim of Volozhin; Hayyim of Volozhin; חיים מוולוזין; חיים מוואלאזין; חיים מוולוז'ין",
  },
  {
    names: `Rashbi; Shimon bar Yochai; Simeon bar Yohai; Shimon ben Yochai; Rabbi Shimon bar Yohai;
      רשב"י; שמעון בר יוחאי; שמעון בן יוחאי`,
  },
  {
    names: "Rabbi Akiva; Rabbi Akiba; Akiva ben Yosef; רבי עקיבא; ר' עקיבא",
  },
  {
    names: `Yehudah HaNasi; Judah the Prince; Rabbeinu HaKadosh; רבי יהודה הנשיא; יהודה הנשיא;
      רבינו הקדוש`,
  },
  {
    names: `Moses; Moshe; Moshe Rabbeinu; Moses our teacher; משה; משה רבינו; משה רבנו; משה רע"ה; מרע"ה;
      משרע"ה`,
  },
  {
    names: 'Abraham; Avraham; Avrohom; Avraham Avinu; אברהם; אברהם אבינו; אאע"ה; אע"ה',
  },
  {
    names: 'Isaac; Yitzchak; Yitzhak; Yitzchok; Yitzchak Avinu; יצחק; יצחק אבינו',
  },
  {
    names: `Jacob; Yaakov; Ya'akov; Yakov; Yaakov Avinu; יעקב; יעקב אבינו; יע"א`,
  },
  {
    names: 'Joseph; Yosef; יוסף; יוסף הצדיק; Yosef HaTzaddik',
  },
  {
    names: 'King David; David HaMelech; Dovid HaMelech; דוד המלך; דהמע"ה; דהמלך',
  },
  {
    names: 'King Solomon; Shlomo HaMelech; Solomon; שלמה המלך; שהמע"ה; שלמה הע"ה',
  },
  {
    names: 'Elijah; Eliyahu HaNavi; Elijah the Prophet; Eliyahu; אליהו הנביא; אליהו',
  },
]
