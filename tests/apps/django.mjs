// The administration pages of a Django site: a shop, a blog and a customer file, with lists that are filtered, searched and edited.
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'Django administration';
const password = 'a quiet kitchen at dusk 7';

// The whole site is one Python file, run as its own module.
const site = (folder, host) => `import os, sys
from pathlib import Path
from django.conf import settings
settings.configure(SECRET_KEY='k' * 50, ALLOWED_HOSTS=['*'], ROOT_URLCONF='site_urls', DEBUG=True, USE_TZ=True, STATIC_URL='/static/',
  MEDIA_ROOT='${folder}/media', MEDIA_URL='/media/', DEFAULT_AUTO_FIELD='django.db.models.BigAutoField', CSRF_TRUSTED_ORIGINS=['http://${host}'],
  INSTALLED_APPS=['django.contrib.admin', 'django.contrib.admindocs', 'django.contrib.auth', 'django.contrib.contenttypes',
    'django.contrib.sessions', 'django.contrib.messages', 'django.contrib.staticfiles', 'django.contrib.flatpages', 'django.contrib.sites',
    'django.contrib.redirects', 'shop'], SITE_ID=1,
  MIDDLEWARE=['django.contrib.sessions.middleware.SessionMiddleware', 'django.middleware.common.CommonMiddleware',
    'django.middleware.csrf.CsrfViewMiddleware', 'django.contrib.auth.middleware.AuthenticationMiddleware',
    'django.contrib.messages.middleware.MessageMiddleware'],
  TEMPLATES=[{'BACKEND': 'django.template.backends.django.DjangoTemplates', 'APP_DIRS': True, 'OPTIONS': {'context_processors': [
    'django.template.context_processors.request', 'django.contrib.auth.context_processors.auth',
    'django.contrib.messages.context_processors.messages']}}],
  DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': '${folder}/site.sqlite3', 'OPTIONS': {'timeout': 20}}})
if __name__ == '__main__':
    from django.core.management import execute_from_command_line
    execute_from_command_line(sys.argv)
`;
const models = `from django.db import models
class Customer(models.Model):
    name = models.CharField(max_length=120); mail = models.EmailField(); phone = models.CharField(max_length=40, blank=True)
    city = models.CharField(max_length=80, blank=True); web = models.URLField(blank=True); notes = models.TextField(blank=True)
    since = models.DateField(null=True, blank=True)
    kind = models.CharField(max_length=8, choices=[('new', 'New'), ('old', 'Old')], default='new')
    def __str__(self): return self.name
class Tag(models.Model):
    name = models.CharField(max_length=60)
    def __str__(self): return self.name
class Post(models.Model):
    title = models.CharField(max_length=200); slug = models.SlugField(blank=True); text = models.TextField(); tags = models.ManyToManyField(Tag, blank=True)
    picture = models.FileField(blank=True, upload_to='pictures'); public = models.BooleanField(default=True); extra = models.JSONField(default=dict, blank=True)
    def __str__(self): return self.title
class Product(models.Model):
    name = models.CharField(max_length=200); price = models.DecimalField(max_digits=9, decimal_places=2, default=1)
    about = models.TextField(blank=True); left = models.IntegerField(default=0)
    def __str__(self): return self.name
class Order(models.Model):
    customer = models.ForeignKey(Customer, on_delete=models.CASCADE); remark = models.TextField(blank=True); made = models.DateTimeField(auto_now_add=True)
class Item(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name='items'); product = models.ForeignKey(Product, on_delete=models.CASCADE)
    count = models.IntegerField(default=1); wish = models.CharField(max_length=200, blank=True)
class MailTemplate(models.Model):
    subject = models.CharField(max_length=200); html = models.TextField()
`;
const admin = `from django.contrib import admin
from . import models as m
class Items(admin.TabularInline): model = m.Item; extra = 2
@admin.register(m.Customer)
class CustomerAdmin(admin.ModelAdmin):
    list_display = ('name', 'mail', 'city', 'phone', 'kind'); list_filter = ('city', 'kind', 'since'); search_fields = ('name', 'mail', 'city', 'notes')
    date_hierarchy = 'since'
@admin.register(m.Post)
class PostAdmin(admin.ModelAdmin):
    list_display = ('title', 'public'); list_filter = ('tags', 'public', 'title'); search_fields = ('title', 'text'); filter_horizontal = ('tags',)
    prepopulated_fields = {'slug': ('title',)}
@admin.register(m.Product)
class ProductAdmin(admin.ModelAdmin):
    list_display = ('id', 'name', 'price', 'left'); list_editable = ('name', 'price', 'left'); search_fields = ('name', 'about'); list_filter = ('name',)
@admin.register(m.Order)
class OrderAdmin(admin.ModelAdmin):
    inlines = [Items]; autocomplete_fields = ('customer',); search_fields = ('customer__name',); list_filter = ('customer__city',)
admin.site.register([m.Tag, m.MailTemplate])
`;
const urls = `from django.contrib import admin
from django.urls import include, path
urlpatterns = [path('admin/doc/', include('django.contrib.admindocs.urls')), path('admin/', admin.site.urls)]
`;

export async function prepare(stage) {
  stage.folder = stage.temp('django');
  const file = (name, text) => stage.write(path.join(stage.folder, name), text);
  file('run.py', site(stage.folder, stage.host));
  file('site_urls.py', urls);
  for (const [name, text] of Object.entries({ '__init__.py': '', 'models.py': models, 'admin.py': admin, 'migrations/__init__.py': '' }))
    file(`shop/${name}`, text);
  stage.python = {
    cwd: stage.folder,
    env: { ...stage.env, DJANGO_SUPERUSER_PASSWORD: password, PYTHONDONTWRITEBYTECODE: '1' },
  };
  await stage.done('/usr/bin/python3', ['run.py', 'makemigrations', 'shop'], stage.python);
  await stage.done('/usr/bin/python3', ['run.py', 'migrate'], stage.python);
  await stage.done(
    '/usr/bin/python3',
    ['run.py', 'createsuperuser', '--noinput', '--username', 'anna', '--email', 'anna@mail.example'],
    stage.python,
  );
}
export async function start(stage) {
  stage.run('/usr/bin/python3', ['run.py', 'runserver', '--noreload', `127.0.0.1:${stage.appPort}`], { ...stage.python, detached: true });
  await stage.answers('/admin/login/');
}

const add = (stage, page, kind, values, submit = '[name=_save]') => stage.form(page, `/admin/${kind}/add/`, values, submit);
const templates = [
  '<p>Dear {{ customer.name|default:"customer" }},</p>\n{% if order.items %}<ul>{% for item in order.items %}<li>{{ item.count }} × {{ item.product }}</li>{% endfor %}</ul>{% endif %}',
  'Hello {{ name }},\n\nyour invoice {{ invoice.number }} of {{ invoice.date|date:"Y-m-d" }} is attached; it\'s due in {{ days }} days.\n\n-- \n{{ shop }}',
  '<a href="https://shop.example/reset?token={{ token }}&amp;user={{ user.id }}">Choose a new password</a> <img src="https://shop.example/logo.png" alt="">',
];

async function write(stage, page, { posts, comments, markdown, searches }) {
  for (const [at, post] of posts.entries()) {
    await add(stage, page, 'shop/post', {
      title: post.title.slice(0, 190),
      text: at % 2 ? post.html : markdown[at % markdown.length],
      extra: JSON.stringify({ tags: post.tags, note: comments[at % comments.length], price: at * 1.5, of: { unit: 'kg', '>': 3 } }),
    });
    await add(stage, page, 'shop/product', { name: post.title.slice(0, 190), price: `${at + 1}.90`, about: comments[at % comments.length] });
  }
  for (const [at, text] of searches.entries())
    await stage.go(page, `/admin/shop/${at % 2 ? 'post' : 'customer'}/?q=${encodeURIComponent(text).replaceAll('%20', '+')}`);
}

async function lists(stage, page) {
  for (const [at, one] of people.entries()) {
    const text = encodeURIComponent(one.city);
    for (const query of [
      `city=${text}&o=-1.2&p=0`,
      `name__icontains=${encodeURIComponent(one.name)}`,
      `mail__exact=${one.mail}&since__gte=2026-01-01&since__lt=2027-01-01`,
    ])
      await stage.go(page, `/admin/shop/customer/?${query}`);
    await stage.go(page, `/admin/shop/customer/${at + 1}/change/?_changelist_filters=${encodeURIComponent(`city=${text}&q=${at}&o=1.-2`)}`);
    await stage.go(page, `/admin/autocomplete/?term=${encodeURIComponent(one.name)}&app_label=shop&model_name=order&field_name=customer`);
    await add(stage, page, 'shop/order', { remark: comments[at % comments.length], 'items-0-product': `${at + 1}`, 'items-0-wish': one.name });
  }
  for (let at = 1; at < 3; ++at) {
    await stage.form(page, '/admin/shop/product/', { 'form-0-price': `${at}.25`, 'form-1-name': `Plum cake, 26" (n° ${at})` }, '[name=_save]');
    await stage.form(page, '/admin/shop/customer/', { action: 'delete_selected', '.action-select': true }, '[name=index]');
  }
}

export async function drive(stage) {
  const page = await stage.page();
  await stage.form(page, '/admin/', { username: 'anna', password });
  for (const [at, one] of people.entries()) {
    await add(stage, page, 'shop/customer', {
      name: one.name,
      mail: one.mail,
      phone: one.phone,
      city: one.city,
      web: `https://${one.mail.split('@')[1]}/?a=1&b=it's#x`,
      notes: comments[at % comments.length],
      since: '2026-11-18',
    });
    await add(stage, page, 'auth/user', { username: `user${at}`, password1: `quiet kitchen ${at} (dusk)`, password2: `quiet kitchen ${at} (dusk)` });
    await stage.form(
      page,
      `/admin/auth/user/${at + 2}/change/`,
      { first_name: one.name.slice(0, 30), email: one.mail, last_name: one.city.slice(0, 30) },
      '[name=_save]',
    );
  }
  for (const post of posts) await add(stage, page, 'shop/tag', { name: post.tags[0] }, '[name=_addanother]');
  for (const html of templates) await add(stage, page, 'shop/mailtemplate', { subject: 'Your order {{ order.id }}', html }, '[name=_continue]');
  await write(stage, page, { posts, comments, markdown, searches });
  await lists(stage, page);
  const files = await makeFiles(stage.temp('files'));
  for (const [kind, file] of Object.entries(files))
    await add(stage, page, 'shop/post', { title: `File ${kind}`, text: 'Here it is.', picture: [file] });
  for (const [at, post] of posts.entries())
    await add(stage, page, 'flatpages/flatpage', { url: `/about/${at}/`, title: post.title.slice(0, 190), content: post.html, sites: '1' });
  await add(stage, page, 'redirects/redirect', { site: '1', old_path: '/old/page.php?id=3', new_path: '/new/?a=b&c=d' });
  await explore(stage, page, ['/admin/', '/admin/shop/post/', '/admin/doc/', '/admin/auth/group/add/', '/admin/password_change/'], {
    pages: 20,
    files: Object.values(files),
  });
}

export async function driveTechnical(stage) {
  const page = await stage.page();
  await stage.form(page, '/admin/', { username: 'anna', password });
  await write(stage, page, technicalTexts);
}
