import { assert } from 'chai';
import { record } from '../support/listings.js';
import { type Catalogue, openCatalogue } from './catalogue.js';

/** Words of one market: texts of searches, and the listings that they must find. */
interface Market {
  /** One pair for each line: a text, and the name of a listing that a search for it finds. */
  pairs: string;
  /** One text for each line, the name of the listing that comes first, and one that must not come before it. */
  nearMisses: string;
}

const MARKETS: Record<string, Market> = {
  English: {
    pairs: `
      knives | Bread knife Orlo 22 cm
      paring knife | Set of 4 paring knives Tavi
      shelf | Wall shelves Brindle, walnut
      bookshelves | Bookshelf Marlow, 5 tiers
      scarf | Silk scarves Inara
      calves | Calf stretcher Dorn
      leaf | Artificial maple leaves, 100 pieces
      loaves | Loaf tin Pernod 900 g
      half | Lemon halves squeezer
      wolves | Plush wolf Siku
      hooves | Hoof pick Trotter
      thief | Wine thieves, glass
      dwarves | Garden dwarf Otmar
      elf | Christmas elves, felt
      man | Gloves for men, size L
      women | Woman's day planner Ivy
      child | Raincoats for children Splash
      people | Person scale Gewa
      foot | Adjustable feet M8 for tables
      teeth | Tooth whitening pen Lumo
      goose | Down of geese, 1 kg bag
      mouse | Optical mice Rell, pack of 5
      mice | Mousepad and gaming mouse Vuri
      ox | Leather of oxen, brown
      dice | Wooden die, 6 sides
      lens | Replacement lenses for Arvo goggles
      lenses | Wide angle lens Otari 24 mm
      bus | Toy buses, set of 3
      buses | School bus model Kito
      gases | Camping gas cartridge Flam
      iris | Bulbs of irises, mixed
      atlases | World atlas Meridian
      canvas | Stretched canvases 30x40, 5 pcs
      viruses | Air purifier against virus and dust
      octopus | Plush octopuses Mila
      octopi | Octopus bath toy
      cactus | Artificial cacti Desert
      cactuses | Cactus soil 5 l
      fungi | Fungus spray for roses
      stylus | Styli for tablets, 10 pieces
      radii | Radius gauge Metrix
      quiz | Card game with quizzes
      tie | Silk ties Rosetti
      pies | Pie dish Earthen 26 cm
      medium | Storage media box Diska
      bacterium | Filter removes bacteria
      stadium | Model stadiums for football fans
      terraria | Terrarium lamp Gekko
      criterion | Criteria for teachers, book
      axe | Splitting axes Norde
      bases | Mattress base Lido 140
      analysis | Water analyses kit
      crises | Crisis management handbook
      matrices | Dot matrix display
      index | Divider with indices A to Z
      appendix | Law book with appendices
      vertex | Set of vertices for geometry
      antennae | Antenna for DAB radio
      larva | Bait larvae, 100 g
      formulae | Formula one model car
      plateaux | Cheese plateau, bamboo
      gateau | Mould for gateaux
      bureaux | Bureau with three drawers
      grandchildren | Mug for the best grandchild
      snowmen | Inflatable snowman Frosty
      plow | Snow plough Ferro
      startech | USB hub StarTech.com 7 ports
      e.l.f. | ELF lip gloss pink
      dr martens | Boots Dr.Martens 1460
      mice for laptop | Rell M10 Silent Wireless Mouse
      paint brush | Tavi Paint Brushes Set of 5
      cutting boards | Orlo Cutting Board Large
      baby wipe | Lumo Sensitive Baby Wipes 60
      bookshelf white | Brindle Book Shelf White 80x28
      headphone | Nova HD 45 Over-Ear Headphones
      loaf tins | Pernod Non-Stick Loaf Tin 2lb
      torches | Otari P7 Torch 450 Lumens
      cd boxes | CD Storage Box with Lid
      leaves rake | Dorn Leaf Rake Large 52cm
      earbud | Kito P20 Earbuds
      hairdryer | Suri Hair Dryer 2100W
      55 inch | Fernseher Lumo 55 Zoll
      o neill | O’Neill boots winter
      l oreal | L'Oréal Paris Mascara
      rock n roll | Rock'n'Roll vinyl records
      red_kettle | Red kettle Vera 1.7 l
      watches | Wristwatch Vuri steel
      `,
    nearMisses: `
      bus | Toy bus red | Rose bush red
      new | New wallet brown | News reader stand brown
      news | News paper rack | New paper rack
      organizer | Desk organizer | Organic desk wax
      tie | Tie clip | Tier clip
      die | Casting die | Diet scale
      lens | Lens cap | Lent candle
      gas | Gas lighter | Gash ointment
      generator | Generator 2 kW | General kW meter
      man | Man wallet | Mane brush for horses
      mice | Cat toy mice | Mica powder for cats
      shorts | Running shorts blue | Short running belt blue
      knives | Tavi No 8 Pocket Knife | Dorn Knife Block Beech Empty
      wine glass | Vita Wine Glass Red | Wine Rack for 12 Bottles and Glass Holder
      headphones | Nova M20 Headphones | Headphones Stand Aluminium Bracket
      mouse | Rell Optical Mouse | Mouse Trap Wooden Pack of 6
      watches | Wristwatch steel | Watch strap leather
      shelf | Wall shelf oak | Shelf brackets, pair
      `,
  },
  German: {
    pairs: `
      Gläser | Glas Vita, mundgeblasen
      glas | Gläser Vita 6er Pack
      glaeser | Trinkglas Korda 0,3 l
      Weinglas | Weingläser Bruno, 4 Stück
      Biergläser | Bierglas Humpen
      Mäuse | Maus Pico, kabellos
      maus | Plüschmäuse für Katzen
      Stuhl | Stühle Arne, 2er Set
      Bürostühle | Bürostuhl Kolja
      Schränke | Schrank Lido weiß
      Kleiderschrank | Kleiderschränke Milla
      kuehlschraenke | Kühlschrank Fresco
      Kühlschrank | Kuehlschrank Retro, 120 l
      Töpfe | Topf Savo 24 cm
      kochtopf | Kochtöpfe Set Savo
      Pfanne | Pfannen Duo beschichtet
      Bratpfannen | Bratpfanne Duo 28 cm
      Handtuch | Handtücher Frottee
      Badetücher | Badetuch Frottee 100x150
      tuch | Tücher aus Mikrofaser
      Buch | Bücher für Anfänger
      Kochbücher | Kochbuch Pasta
      Schuh | Schuhe Lauf Herren
      Wanderschuhe | Wanderschuh Alpin
      Jacken | Jacke Sturm, Damen
      Regenjacke | Regenjacken Kinder
      Hüte | Hut aus Stroh
      Mütze | Mützen Fleece
      muetze | Mütze mit Bommel
      Kissen | Sofakissen Loro
      Decke | Decken aus Wolle
      Wolldecken | Wolldecke Merino
      Lampen | Lampe Lumi
      Tischlampe | Tischlampen Lumi, 2 Stück
      Fahrräder | Fahrrad City 28 Zoll
      rad | Räder für Bollerwagen
      Kinderbett | Kinderbetten Tilo
      Türen | Tür Eiche 86 cm
      tuer | Türen aus Glas, Paar
      Schlüssel | Schluessel Anhänger
      Bälle | Ball Soft
      fussball | Fußball Größe 5
      Fussbälle | Fußball Training
      Baum | Bäume künstlich
      Weihnachtsbäume | Weihnachtsbaum 180 cm
      Kocher | Wasserkocher Ketla 1,7 l
      kocher | Reiskocher Basmo
      Wasserkocher | Kocher Camp 1 l
      lampe | Stehlampe Oslo
      schrank | Aktenschrank Büro grau
      stuhl | Gartenstuhl Rattan
      messer | Taschenmesser Pilo
      tasche | Sporttasche Run
      koffer | Werkzeugkoffer leer
      decke | Wolldecke Alpaka
      decken | Kuscheldecke Fleece
      Haken | Wandhaken Edelstahl
      moebel | Gartenmöbel Teak
      halter | Handyhalter Auto
      bürste | Zahnbürste Denta
      maschine | Waschmaschine Bora
      schere | Küchenschere Inox
      Bohrer | Steinbohrer 8 mm
      Straße | Spielteppich Strasse
      Größe | Socken Groesse 42
      Säge | Handsaege Holz
      Löffel | Kaffeeloeffel Silber
      schwarze Hose | Hose schwarz Slim
      rote Tasse | Tasse rot Emaille
      Bademäntel | Bademantel Frottee
      Messgeräte | Messgerät Laser
      Rucksack | Rucksäcke Trek
      Wanderschuhe | Damenwanderschuhe Alpin
      handschuh | Skihandschuhe Lyra
      waschmaschine | Industriewaschmaschine Bora
      fahrradhelm | Kinderfahrradhelm Pico
      öl | Sonnenblumenöl Feld 1 l
      oel | Kokosöl nativ
      tisch | Klapptisch Camp
      Tische | Beistelltisch Nordo 55x55
      Staubsauger | Bodenstaubsauger Bora 700 W
      Futter | Hundefutter Pico 15 kg
      Marmelade | Erdbeermarmelade Feld 340 g
      Hundefutter | Pico Futter für Hunde 800 g
      tür | Schranktüren weiß
      hut | Regenhut Kinder
      tee | Früchtetee Beere
      löffel | Suppenlöffelset Bistro
      nagelschere | Baby-Nagelschere Minu
      Bücherregale | Lido Bücherregal 6 Fächer weiß
      Lampe | Lumi Nachttischlampe Touch dimmbar
      Schrank | Kleiderschrank 3-türig weiß
      Fussball | Kito Fußball Größe 5
      Kühlschränke | Fresco Kühlschrank KT15
      Bettlaken | Spannbettlaken Jersey 140x200
      Kabel | Verlängerungskabel 5 m Schuko
      Schraubenzieher Sätze | Dorn Schraubenzieher Satz 6-teilig
      Kaffeemühlen | Bora Kaffeemühle CM 7
      Fahrradhelm | Pico Fahrradhelme Urban-I 3.0
      Vorhänge | Vorhang blickdicht 140x245
      Reifen | Winterreifen 205/55 R16 Norde
      55 Zoll | TV Lumo 55 inch
      27 zoll monitor | Monitor Kestrel 27-inch IPS
      `,
    nearMisses: `
      Tisch | Tisch Eiche | Automatisch öffnender Mülleimer
      Kocher | Kocher Gas | Kochbuch Gas
      Milch | Milch 1 l | Buttermilchkekse
      Glas | Glas klar | Glasreiniger klar
      Maus | Maus grau | Mausoleum Bild grau
      Wasserkocher | Wasserkocher 1 l | Reiskocher 1 l
      Hut | Hut rot | Hutschachtel rot
      Topf | Topf blau | Topflappen blau
      Rad | Rad 20 Zoll | Radio 20 Watt
      Schrank | Schrank grün | Schrankenwärter Figur grün
      Bett | Bett 140 | Bettelarmband 140
      Uhr | Uhr Holz | Uhu Holz
      Koffer | Koffer rot | Kofferanhänger rot
      Lampe | Tischlampe beige | Lampenschirm beige
      Messer | Pilo Tafelmesser 11 cm | Messerblock leer Buche
      Kocher | Elektrischer Wasserkocher 1,7 l Ketla | Kochertasche für Campingkocher
      Kaffeemaschine | Bora Kaffeemaschine Easy II | Entkalker für Kaffeemaschine 250 ml
      Kopfhörer | Nova Kopfhörer DT 770 | Kopfhörerständer Holz Walnuss
      Drucker | Metrix Laserdrucker Duo | Druckerpapier weiß 500 Blatt
      Fernseher | Nova Fernseher 50 Zoll | Fernseher Wandhalterung schwenkbar
      Kaffee | Feld Kaffee Gold gemahlen | Kaffeebecher Porzellan
      Kamera | Otari Systemkamera R10 | Kameratasche Trek
      Grill | Norde Gasgrill Camp | Grillzange Edelstahl
      Schuhe | Lyra Sportschuhe Kinder | Schuhregal 3 Etagen
      `,
  },
  Malay: {
    pairs: `
      pengecas | Cas pantas 20W untuk telefon
      cas | Pengecas tanpa wayar Volo
      pengecaj | Soket cas kereta USB
      pembersih | Serbuk bersih lantai Fila
      bersih | Pembersih tandas wangi
      pencuci | Sabun cuci pinggan
      cuci | Pencuci muka lembut
      basuh | Pembasuh tekanan tinggi
      penyapu | Set sapu dan penyodok
      sapu | Penyapu lantai panjang
      pengering | Mesin kering rambut Suri
      kering | Pengering pakaian lipat
      pemanas | Alat panas air Riva
      panas | Pemanas bilik seramik
      penapis | Kain tapis kopi
      tapis | Penapis air paip
      pelindung | Lindung skrin kaca
      lindung | Pelindung matahari SPF50
      pemegang | Alat pegang telefon kereta
      pegang | Pemegang cawan motosikal
      penggantung | Cangkuk gantung baju
      gantung | Penggantung tuala keluli
      penyimpan | Kotak simpan barang
      simpan | Bekas penyimpanan makanan
      lipat | Meja berlipat dan pelipat baju
      pengunci | Kunci basikal nombor
      pengisar | Mesin kisar rempah
      kisar | Pengisar jus mini
      pemotong | Alat potong sayur
      potong | Pemotong rumput elektrik
      pengupas | Pisau kupas buah
      kupas | Pengupas bawang putih
      pemarut | Alat parut kelapa
      parut | Pemarut keju
      pengurut | Mesin urut leher
      urut | Pengurut kaki elektrik
      pijat | Alat pemijat punggung
      pencukur | Pisau cukur lelaki
      cukur | Pencukur janggut
      hiasan | Lampu hias taman
      hias | Hiasan dinding kayu
      pencetak | Kertas cetak gambar A4
      cetak | Pencetak resit mini
      pewarna | Pensel warna 24
      warna | Pewarna makanan hijau
      pengukur | Pita ukur 5 m
      ukur | Pengukur tekanan tayar
      timbang | Penimbang dapur digital
      penimbang | Timbang badan kaca
      mainan | Alat permainan bayi
      permainan | Mainan kayu kanak-kanak
      makanan | Bekas makan kucing
      minuman | Botol minum sukan
      pakaian | Tali pakai keledar
      perakam | Kamera rakam kereta
      rakam | Perakam suara digital
      penyembur | Botol sembur air
      kanak kanak | Kerusi kanak-kanak
      buku-buku | Rak buku kayu
      beroda | Beg dengan roda 20 inci
      berwayar | Fon telinga wayar 3.5mm
      tutup | Penutup periuk silikon
      penutup | Tutup botol getah
      casnya | Kabel cas 2 m
      penyaman | Nyaman udara Suri
      penjemur | Jemuran baju lipat Keri
      pelapik | Lapik meja rotan
      penggulung | Rol gulung dawai
      berlaci | Almari laci empat
      epal | Jus apel segar
      almari | Lemari pakaian jati
      beras | Bekas beras 10 kg
      pembersih lantai | Fila Pencuci Lantai Lavender 2L
      pengisar makanan | Kisar Makanan Elektrik 2L
      pemanas air | Riva Alat Panas Air Mandian SB1
      penapis air | Riva Tapis Air Minuman
      permainan kanak-kanak | Mainan Kanak-kanak Blok Kayu
      kasut sukan lelaki | Kasut Sukan Lelaki Suri Hitam
      penghidu gas | Alat Hidu Gas Dapur Keselamatan
      pelembab bibir | Lip Balm Pelembap Bibir Lumo
      lampu lampu raya | Lampu Raya LED 10m
      menjahit | Mesin Jahit Keri 130
      tempat simpanan | Kotak Simpan Baju 60L
      buah-buahan kering | Buah Kering Campuran 500g
      basikal 20 inch | Basikal lipat Neo 20 inci
      memancing | Joran pancing karbon
      lancong | Bantal leher pelancongan
      digosok | Berus gosok lantai
      tidur | Baju tidurnya wanita
      perabot | Perabotan rumah plastik
      menulis | Alat penulisan pena
      cerek | Riva Whistling Kettle
      kabel hdmi | Volo HDMI Cable 2 m
      `,
    nearMisses: `
      basikal | Basikal Lipat Tura | Pam basikal
      kerusi | Kerusi pejabat ergonomik | Kusyen kerusi
      lampu | Lampu meja LED Norda | Suis lampu dinding
      cas | Cas dinding | Casing dinding
      beras | Beras wangi | Beruas wangi
      air | Air mineral | Airbrush mineral
      sapu | Sapu lidi | Sapu tangan sutera lidi
      susu | Susu kambing | Susun kambing
      kipas | Kipas meja | Kupas meja
      kaca | Kaca mata | Kacang mata
      lampu | Lampu meja | Lampin meja
      baju | Baju merah | Baja merah
      meja | Meja lipat | Mejar lipat
      teh tarik | Teh tarik segera Aik Hin 15 paket | Cawan teh tarik
      tilam bayi | Tilam bayi getah Mimpi 60x120 | Cadar tilam bayi
      payung lipat | Payung lipat automatik Hujan 8 rusuk | Sarung payung lipat
      pengecas | Pengecas Dinding Volo 30W | Kotak Pengecas Kosong Simpanan Kabel
      kasut | Kasut Kanvas Suri Putih | Rak Kasut 5 Tingkat
      jam tangan | Jam Tangan Kito Digital | Tali Jam Tangan Getah 22mm
      telefon | Telefon Pintar Volo A18 | Sarung Telefon Volo A18
      kamera | Kamera Litar Tertutup Otari | Dudukan Kamera Meja
      periuk | Periuk Tekanan Elektrik Savo | Tudung Periuk Kaca 24cm
      botol air | Botol Air Keluli 750ml | Berus Botol Air
      telefon | Telefon Bimbit Volo | Cermin Pelindung Telefon Bimbit
      kopi | Kopi Aik Hin 200g | Cawan Kopi Seramik
      komputer | Komputer Meja Nova | Meja Komputer Kayu
      peti sejuk | Peti Sejuk Nova 2 Pintu | Penyahbau Peti Sejuk Arang
      masker wajah | Masker Wajah Lumo 5 keping | Kuas Masker Wajah Silikon
      cerek elektrik | Savo Electric Kettle 1.7 L | Tudung cerek
      `,
  },
  Chinese: {
    pairs: `
      耳机 | 無線藍牙耳機 Nova
      耳機 | 入耳式运动耳机 黑色
      蓝牙 | 便攜藍牙音箱
      藍牙 | 车载蓝牙接收器
      充电器 | 快速充電器 65W
      充電器 | 多口充电器 USB
      数据线 | 編織數據線 2米
      數據線 | 苹果数据线 1米
      手机壳 | 透明手機殼 防摔
      手機殼 | 硅胶手机壳 红色
      电视 | 4K智能電視 55寸
      電視 | 高清电视 43寸
      冰箱 | 双门冰箱 静音
      洗衣机 | 滾筒洗衣機 8公斤
      洗衣機 | 迷你洗衣机 宿舍
      空气净化器 | 家用空氣淨化器
      吸尘器 | 手持吸塵器
      吸塵器 | 无线吸尘器 大吸力
      电饭煲 | 智能電飯煲 5L
      電飯煲 | 迷你电饭煲
      热水壶 | 不鏽鋼熱水壺
      熱水壺 | 电热水壶 1.8升
      键盘 | 機械鍵盤 青軸
      鍵盤 | 静音键盘 无线
      鼠标 | 無線鼠標 靜音
      显示器 | 曲面顯示器 27寸
      顯示器 | 便携显示器 15寸
      笔记本 | 輕薄筆記本電腦
      筆記本 | 游戏笔记本电脑
      摄像头 | 網絡攝像頭 1080P
      攝像頭 | 监控摄像头 室外
      手表 | 智能手錶 心率
      手錶 | 运动手表 防水
      背包 | 大容量双肩背包
      鞋 | 男士跑步鞋 42码
      运动鞋 | 女式運動鞋 透氣
      裤子 | 休閒褲子 男
      外套 | 女士风衣外套
      连衣裙 | 碎花連衣裙 夏季
      帽子 | 遮阳帽子 渔夫帽
      雨伞 | 自動雨傘 折疊
      雨傘 | 长柄雨伞 黑
      台灯 | 護眼檯燈 學習
      书桌 | 兒童書桌 可升降
      書桌 | 实木书桌 1.2米
      椅子 | 人体工学椅子
      沙发 | 布藝沙發 三人
      床垫 | 乳膠床墊 1.8米
      床墊 | 弹簧床垫 硬
      枕头 | 記憶棉枕頭
      毛巾 | 纯棉毛巾 三条装
      牙刷 | 电动牙刷 充电款
      牙膏 | 美白牙膏 120克
      洗发水 | 控油洗髮水 500ml
      面膜 | 补水面膜 10片
      茶叶 | 武夷山茶葉 禮盒
      咖啡 | 速溶咖啡 30条
      饼干 | 黃油餅乾 罐裝
      奶粉 | 婴儿奶粉 一段
      尿布 | 宝宝纸尿布 M码
      玩具 | 儿童积木玩具
      电池 | 7號電池 12粒
      电饼铛 | 家用電餅鐺
      降噪 | 主动降噪头戴式
      滑鼠 | 静音鼠标 办公
      充电宝 | 輕薄行動電源 5000
      筆電 | 轻薄笔记本电脑 14寸
      手机壳 | 手機殼透明防摔
      雨伞 | 全自动折叠雨傘三折
      台灯 | 护眼LED檯燈学习用
      跑鞋 男 | 飞云男子跑鞋40
      空气炸锅 | 大众空氣炸鍋家用
      牙刷 | 贝贝B电动牙刷成人
      显示器 | 远山27英寸顯示器
      数据线 | 青山Type-C數據線1米
      墨盒 | 原装墨盒黑色
      枕头 | 乳胶枕頭泰国
      面霜 | 红宝石面霜50g
      儿童玩具车 | 合金兒童玩具車模型
      椅子 | 人体工学椅
      `,
    nearMisses: `
      耳机 | 无线蓝牙耳机 降噪 | 耳机保护套
      键盘 | 机械键盘 青轴 | 键盘膜
      手机 | 手机 128G | 手动绞肉机 128G
      电池 | 电池 五号 | 电动泳池 五号
      牛奶 | 牛奶 一箱 | 奶牛 玩偶 一箱
      花生 | 花生 500克 | 生花 500克
      耳机 | 耳机 有线 | 机顶盒 耳朵 有线
      茶杯 | 茶杯 陶瓷 | 杯茶 陶瓷
      水果 | 水果 礼盒 | 果水 礼盒
      书包 | 书包 蓝色 | 包书皮 蓝色
      台灯 | 台灯 LED | 灯台 LED
      床单 | 床单 纯棉 | 单人床 纯棉
      耳机 | 头戴式无线耳机主动降噪 | 耳机收纳盒便携
      水杯 | 大容量运动水杯男女 | 水杯盖子通用
      相機 | 入门级微单相机 4K | 相機包防水
      耳机 | 入耳式有线耳机 | Wired headphones Nova
      手表 | 学生防水电子手表 | Digital watch Kito
      打印机 | 家用小型喷墨打印机无线 | 打印机墨盒黑色
      运动鞋 | 男士透气运动鞋 | 运动鞋鞋带扁平
      剃须刀 | 男士剃须刀三刀头 | 剃须刀刀头配件
      手机 | 远山X50手机 8+256 | 手机支架桌面懒人
      相机 | 青山X30相机 | 相机包单肩防水
      咖啡 | 山田速溶咖啡100条 | 咖啡杯陶瓷带碟
      耳机 | 远山头戴耳机W820 | 耳机收纳盒硬壳
      茶 | 西湖龙井绿茶250克 | 茶几客厅小户型
      自行车 | 远山自行车26寸 | 自行车车锁防盗
      沙发 | 北欧三人沙发 | 沙发垫四季通用
      牛奶 | 青山纯牛奶24盒 | 牛奶锅不粘锅
      眼镜 | 近视眼镜男超轻 | 眼镜盒便携抗压
      冰箱 | 北山双门冰箱 | 冰箱除味剂
      鞋 | 远山男鞋运动跑步鞋透气 | 鞋带圆形运动鞋白色120cm
      鞋 | 男士运动鞋 黑色 | 鞋带 白色
      小提琴 | 初学者小提琴 4/4 | 小提琴松香透明
      `,
  },
  Thai: {
    pairs: `
      หูฟัง | ชุดหูฟังบลูทูธเสียงดี
      ไร้สาย | ลำโพงไร้สายพกพา
      หูฟังไร้สาย | กล่องใส่หูฟังไร้สาย
      สายชาร์จ | ชุดสายชาร์จเร็ว 3 เส้น
      ที่ชาร์จ | แท่นที่ชาร์จโทรศัพท์
      โทรศัพท์ | ซองกันน้ำใส่โทรศัพท์มือถือ
      มือถือ | ขาตั้งมือถือปรับได้
      เคส | เคสใสกันกระแทกรุ่นใหม่
      ฟิล์ม | แผ่นฟิล์มกระจกนิรภัย
      แบตเตอรี่ | ก้อนแบตเตอรี่ลิเธียม
      พัดลม | เครื่องพัดลมตั้งโต๊ะ
      ตู้เย็น | ผ้าคลุมตู้เย็นสองประตู
      หม้อหุงข้าว | ฝาหม้อหุงข้าวไฟฟ้า
      กระทะ | ชุดกระทะเคลือบเทฟลอน
      มีด | ชุดมีดทำครัวสแตนเลส
      จาน | ชุดจานเซรามิกลายดอก
      แก้วน้ำ | ชุดแก้วน้ำเก็บความเย็น
      ขวดน้ำ | กระเป๋าใส่ขวดน้ำ
      กระเป๋า | ร้านกระเป๋าสะพายข้าง
      กระเป๋าเป้ | ซิปกระเป๋าเป้เดินทาง
      รองเท้า | ชั้นวางรองเท้าไม้
      รองเท้าผ้าใบ | เชือกรองเท้าผ้าใบสีขาว
      เสื้อ | แม่พิมพ์เสื้อยืดคอกลม
      เสื้อยืด | ชุดเสื้อยืดผู้ชาย
      กางเกง | เข็มขัดกางเกงยีนส์
      ถุงเท้า | แพ็คถุงเท้าข้อสั้น
      หมวก | ตะขอแขวนหมวกติดผนัง
      แว่นตา | กล่องแว่นตากันแดด
      นาฬิกา | สายนาฬิกาหนังแท้
      ร่ม | คันร่มพับอัตโนมัติ
      ผ้าห่ม | ชุดผ้าห่มขนนุ่ม
      หมอน | ปลอกหมอนผ้าฝ้าย
      ที่นอน | ผ้ารองที่นอนกันน้ำ
      ผ้าม่าน | รางผ้าม่านอลูมิเนียม
      โต๊ะ | ผ้าปูโต๊ะอาหาร
      เก้าอี้ | เบาะเก้าอี้สำนักงาน
      ชั้นวาง | เหล็กชั้นวางของ
      โคมไฟ | ฐานโคมไฟตั้งโต๊ะ
      หลอดไฟ | ขั้วหลอดไฟเกลียว
      ปลั๊กไฟ | รางปลั๊กไฟ 4 ช่อง
      ไขควง | ชุดไขควงอเนกประสงค์
      สว่าน | ดอกสว่านเจาะปูน
      ค้อน | ด้ามค้อนไฟเบอร์
      กาว | หลอดกาวร้อน
      แชมพู | ขวดแชมพูสมุนไพร
      สบู่ | ก้อนสบู่น้ำผึ้ง
      ครีมกันแดด | หลอดครีมกันแดดหน้า
      ลิปสติก | แท่งลิปสติกเนื้อแมท
      น้ำหอม | ขวดน้ำหอมพกพา
      แปรงสีฟัน | หัวแปรงสีฟันไฟฟ้า
      ยาสีฟัน | ที่บีบยาสีฟัน
      ผ้าอ้อม | แพ็คผ้าอ้อมเด็ก
      นมผง | กล่องแบ่งนมผง
      ของเล่น | กล่องเก็บของเล่นเด็ก
      ตุ๊กตา | บ้านตุ๊กตาไม้
      กาแฟ | เครื่องชงกาแฟสด
      ชา | กาชงชาเซรามิก
      ข้าวสาร | ถังเก็บข้าวสาร
      น้ำมัน | ขวดน้ำมันมะกอก
      อาหารแมว | ชามอาหารแมวสแตนเลส
      ปลอกคอ | กระดิ่งปลอกคอสุนัข
      จักรยาน | ไฟท้ายจักรยาน
      แล็ปท็อป | โน๊ตบุ๊ค 14 นิ้ว
      โทรทัศน์ | ทีวี 32 นิ้ว
      ມືຖື | ຊອງໃສ່ໂທລະສັບມືຖື
      ໂທລະສັບ | ສາຍສາກໂທລະສັບ
      ទូរស័ព្ទ | ស្រោមទូរស័ព្ទដៃ
      កាស | ប្រអប់កាសស្តាប់ត្រចៀក
      ဖုန်း | ရေစိုခံဖုန်းအိတ်
      အိတ် | လက်ဆွဲအိတ်အနက်ရောင်
      หม้อหุงข้าว | ดีใจหม้อหุงข้าวไฟฟ้า1.8ลิตร
      ยาสีฟัน | ดีใจยาสีฟันสมุนไพร150กรัม
      กระเป๋าเป้ | ดีใจกระเป๋าเป้สะพายหลัง
      ไมโครเวฟ | ดีใจไมโครเวฟ20ลิตร
      สายชาร์จ | ดีใจสายชาร์จไทป์ซี1เมตร
      คีย์บอร์ด | คีย์บอร์ดเกมมิ่งไฟRGB
      ผ้าอ้อม | ดีใจผ้าอ้อมเด็กไซส์L
      กาแฟ | มีสุขเรดคัพกาแฟสำเร็จรูป
      กางเกงยีนส์ | มีสุขกางเกงยีนส์ขายาว
      นาฬิกา | มีสุขนาฬิกาข้อมือดิจิตอล
      โต๊ะทำงาน | โต๊ะทำงานไม้120ซม
      หมอน | หมอนเมมโมรี่โฟม
      `,
    nearMisses: `
      รองเท้า | รองเท้าวิ่งผู้ชาย สีดำ | เชือกผูกรองเท้า
      สายชาร์จ | สายชาร์จยาว 1 เมตร | หูฟังไร้สาย 1 เมตร
      หูฟัง | หูฟังสีดำ | หูหิ้วสีดำ
      เสื้อ | เสื้อสีแดง | เสื่อสีแดง
      หมอน | หมอนนุ่ม | ขอนไม้นุ่ม
      ข้าว | ข้าวหอม | ข่าวหอม
      แมว | แมวตุ๊กตา | แนวตุ๊กตา
      ผ้าห่ม | ผ้าห่มเด็ก | ผ้าขนหนูเด็ก
      รองเท้า | รองเท้าดำ | รองพื้นดำ
      แก้วน้ำ | แก้วน้ำใส | น้ำแก้วใส
      มือถือ | มือถือใหม่ | ถือมือใหม่
      กล้อง | ชุดกล้องถ่ายรูปมือโปร | กระเป๋าใส่กล้อง
      เครื่องกรองน้ำ | ยี่ห้อดีเครื่องกรองน้ำตั้งโต๊ะ | ไส้กรองเครื่องกรองน้ำ
      ตู้ปลา | ขายตู้ปลากระจก 24 นิ้ว | น้ำยาล้างตู้ปลา
      เก้าอี้ | เก้าอี้สำนักงานปรับระดับ | เบาะรองเก้าอี้เพื่อสุขภาพ
      โทรศัพท์ | โทรศัพท์มือถือมีสุข105 | ขาตั้งโทรศัพท์อลูมิเนียม
      กาแฟ | กาแฟคั่วบดมีสุข250กรัม | แก้วกาแฟเซรามิก
      กล้อง | กล้องมีสุขR50 | กระเป๋ากล้องกันน้ำ
      จักรยาน | จักรยานเสือหมอบมีสุข | ไฟจักรยานกันน้ำ
      กระทะ | กระทะเหล็กหล่อ26ซม | ตะหลิวกระทะไม้
      หมอน | หมอนหนุนมีสุข | ปลอกหมอนสีขาว
      เครื่องปั่น | เครื่องปั่นน้ำผลไม้มีสุข | ใบมีดเครื่องปั่น
      นม | นมสดมีสุข2ลิตร | แก้วนมเด็ก
      ปากกา | ปากกาลูกลื่นมีสุข | ที่เสียบปากกาตั้งโต๊ะ
      นาฬิกา | นาฬิกามีสุขออโตเมติก | สายนาฬิกาหนัง 20 มม.
      เต็นท์ | เต็นท์แคมป์ปิ้ง 4 คนกันฝน | สมอบกเต็นท์เหล็ก 10 ชิ้น
      `,
  },
};

const lines = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) => line.split('|').map((part) => part.trim()))
    .filter(([q = '']) => q !== '');

describe('words of five markets', () => {
  for (const [market, { pairs, nearMisses }] of Object.entries(MARKETS))
    describe(market, () => {
      let catalogue: Catalogue;
      const rows = [...lines(pairs), ...lines(nearMisses)];
      const names = [...new Set(rows.flatMap(([, ...listings]) => listings))];
      const skuOf = (name = '') => `L${names.indexOf(name)}`;
      before(async () => {
        catalogue = await openCatalogue(names.map((name) => record({ sku: skuOf(name), name })));
      });
      after(() => catalogue.remove());

      it('finds at least 95 % of the listings', async () => {
        const missed: string[] = [];
        for (const [q = '', name = ''] of lines(pairs)) {
          const { skus } = await catalogue.search(q, 100);
          if (!skus.includes(skuOf(name))) missed.push(`${q} → ${name}`);
        }
        assert.isAtMost(missed.length, lines(pairs).length * 0.05, missed.join('\n'));
      });

      for (const [q = '', right, wrong] of lines(nearMisses))
        it(`${q} finds ${right} before ${wrong}`, async () => {
          const { skus } = await catalogue.search(q, 100);
          const [first, second] = [skus.indexOf(skuOf(right)), skus.indexOf(skuOf(wrong))];
          assert.isAtLeast(first, 0);
          assert.isTrue(
            second < 0 || first < second,
            skus.map((sku) => names[Number(sku.slice(1))]).join('\n'),
          );
        });
    });
});
